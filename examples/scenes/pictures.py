"""Drawn scenes: coloured shapes with their boxes and masks, and people with their key points."""
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 64  # pixels of a model's input
SHAPES = ["circle", "square", "triangle"]


def background(rng, side):
    """A smooth gradient between two dull colours."""
    corners = rng.integers(40, 200, (2, 2, 3), np.uint8)
    return Image.fromarray(corners).resize((side, side), Image.Resampling.BICUBIC)


def colour(rng):
    """Bright or dark, so that it differs from the background."""
    channels = rng.permutation([rng.integers(0, 60), rng.integers(190, 256), rng.integers(0, 256)])
    return tuple(int(c) for c in channels)


def noisy(picture, rng):
    pixels = np.asarray(picture, np.float32)
    return np.clip(pixels + rng.normal(0, rng.uniform(0, 8), pixels.shape), 0, 255)


def outline(kind, x, y, r, angle):
    corners = {"square": 4, "triangle": 3}[kind]
    turns = angle + np.arange(corners) * (2 * np.pi / corners)
    return [(x + r * np.cos(t), y + r * np.sin(t)) for t in turns]


def shapes(rng, side=SIDE):
    """A scene of one to four shapes: the picture, their classes and boxes (left, top, right, bottom in 0..1), the class of each pixel."""
    scale = 2
    big = side * scale
    picture, mask = background(rng, big), Image.new("L", (big, big))
    placed, classes, boxes = [], [], []
    for _ in range(rng.integers(1, 5)):
        r = rng.uniform(0.10, 0.19) * big
        x, y = rng.uniform(r, big - r, 2)
        if any(np.hypot(x - a, y - b) < r + c for a, b, c in placed):
            continue
        kind = int(rng.integers(3))
        fill = colour(rng)
        for image, value in ((picture, fill), (mask, kind + 1)):
            pen = ImageDraw.Draw(image)
            if kind == 0:
                pen.ellipse((x - 0.8 * r, y - 0.8 * r, x + 0.8 * r, y + 0.8 * r), fill=value)
                points = [(x - 0.8 * r, y - 0.8 * r), (x + 0.8 * r, y + 0.8 * r)]
            else:
                # The same angle for both images.
                points = outline(SHAPES[kind], x, y, r, angle := (angle if image is mask else rng.uniform(0, 2 * np.pi)))
                pen.polygon(points, fill=value)
        placed.append((x, y, r))
        classes.append(kind)
        across, down = zip(*points)
        boxes.append([min(across) / big, min(down) / big, max(across) / big, max(down) / big])
    picture = picture.resize((side, side), Image.Resampling.BOX)
    mask = np.asarray(mask)[::scale, ::scale]
    return picture, np.array(classes), np.array(boxes, np.float32), mask


def limb(start, length, angle):
    return start + length * np.array([np.sin(angle), np.cos(angle)])


def person(rng, side=SIDE):
    """A person who faces the camera: the picture and 17 key points as y, x in 0..1, in COCO's order."""
    big = side * 4
    unit = rng.uniform(0.085, 0.115) * big
    neck = np.array([rng.uniform(0.4, 0.6), rng.uniform(0.24, 0.34)]) * big
    lean = rng.uniform(-0.15, 0.15)
    head = limb(neck, -1.0 * unit, lean)
    hip = limb(neck, 2.6 * unit, lean)
    points = {}
    points[0] = head + [0, 0.1 * unit]
    # The person's left is on the right of the picture.
    for left, sign in ((1, 1), (0, -1)):
        odd = 1 - left
        points[1 + odd] = head + [sign * 0.25 * unit, -0.15 * unit]
        points[3 + odd] = head + [sign * 0.6 * unit, 0]
        points[5 + odd] = shoulder = neck + [sign * 0.95 * unit, 0.25 * unit]
        upper = sign * rng.uniform(0.1, 2.6)
        points[7 + odd] = elbow = limb(shoulder, 1.3 * unit, upper)
        points[9 + odd] = limb(elbow, 1.2 * unit, upper + rng.uniform(-1, 1))
        points[11 + odd] = start = hip + [sign * 0.6 * unit, 0]
        thigh = sign * rng.uniform(0, 0.6)
        points[13 + odd] = knee = limb(start, 1.6 * unit, thigh)
        points[15 + odd] = limb(knee, 1.6 * unit, thigh + rng.uniform(-0.3, 0.3))
    picture = background(rng, big)
    draw_person(ImageDraw.Draw(picture), rng, points, head, unit)
    at = np.array([points[i] for i in range(17)]) / big
    return picture.resize((side, side), Image.Resampling.BOX), at[:, ::-1].astype(np.float32)


def draw_person(pen, rng, points, head, unit):
    skin = tuple(int(c) for c in np.array([230, 180, 140]) * rng.uniform(0.6, 1.05))
    shirt, trousers = colour(rng), colour(rng)

    def line(joints, fill, width):
        for a, b in zip(joints, joints[1:]):
            pen.line([*points[a], *points[b]], fill=fill, width=round(width * unit))
        for joint in joints:
            x, y = points[joint]
            r = width * unit / 2
            pen.ellipse((x - r, y - r, x + r, y + r), fill=fill)

    for joints in ((11, 13, 15), (12, 14, 16)):
        line(joints, trousers, 0.5)
    pen.polygon([tuple(points[i]) for i in (5, 6, 12, 11)], fill=shirt)
    for joints in ((5, 7), (6, 8)):
        line(joints, shirt, 0.42)
    for joints in ((7, 9), (8, 10)):
        line(joints, skin, 0.34)
    x, y = head
    pen.ellipse((x - 0.6 * unit, y - 0.75 * unit, x + 0.6 * unit, y + 0.75 * unit), fill=skin)
    for eye in (1, 2):
        x, y = points[eye]
        pen.ellipse((x - 0.1 * unit, y - 0.1 * unit, x + 0.1 * unit, y + 0.1 * unit), fill=(20, 20, 20))
    x, y = points[0]
    pen.line([x, y - 0.1 * unit, x, y + 0.15 * unit], fill=(120, 60, 40), width=max(1, round(0.1 * unit)))
