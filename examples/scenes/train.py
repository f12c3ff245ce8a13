"""Train the models of drawn scenes; write them and their sample pictures next to this file.

    python3 train.py [detect] [segment] [pose]
"""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import keras
import numpy as np
import tensorflow as tf

import export
from pictures import SHAPES, SIDE, noisy, person, shapes

L = keras.layers
GRID = SIDE // 8
SEED, PICTURES, HELD_OUT = 28, 4500, 500


def block(x, channels, stride=1):
    x = L.DepthwiseConv2D(3, stride, padding="same", use_bias=False)(x)
    x = L.Conv2D(channels, 1, use_bias=False)(x)
    return L.ReLU()(L.BatchNormalization(momentum=0.95)(x))


def encoder(image):
    """Features at a half, a quarter and an eighth of the picture's side."""
    x = L.Conv2D(16, 3, 2, padding="same", use_bias=False)(image)
    half = block(L.ReLU()(L.BatchNormalization(momentum=0.95)(x)), 24)
    quarter = block(block(half, 32, 2), 32)
    eighth = block(block(block(quarter, 64, 2), 64), 64)
    return half, quarter, eighth


def up(x, skip, channels):
    return block(L.Concatenate()([L.UpSampling2D(interpolation="bilinear")(x), skip]), channels)


class Boxes(L.Layer):
    """Cells of shifts and sizes to centres and sizes in fractions of the picture."""

    def call(self, cells):
        line = tf.range(GRID, dtype=tf.float32)
        corner = tf.stack(tf.meshgrid(line, line), -1)[None]
        shift, size = tf.split(cells, 2, -1)
        return tf.concat([(corner + 2 * tf.sigmoid(shift) - 0.5) / GRID, tf.sigmoid(size)], -1)


def detector():
    image = keras.Input((SIDE, SIDE, 3), name="image")
    features = encoder(image)[-1]
    cells = Boxes(name="cells")(L.Conv2D(4, 1)(block(features, 64)))
    scores = L.Conv2D(len(SHAPES), 1, activation="sigmoid", bias_initializer=keras.initializers.Constant(-3))(block(features, 64))
    # [1, 4 + classes, boxes], as YOLO has it.
    rows = L.Reshape((GRID * GRID, 4 + len(SHAPES)))(L.Concatenate()([cells, scores]))
    return keras.Model(image, L.Permute((2, 1), name="boxes")(rows))


def detection_loss(truth, found):
    """Binary cross entropy of the scores everywhere; distance of the box in cells that have the centre of a shape."""
    there = tf.reduce_max(truth[:, 4:], 1)
    scores = tf.clip_by_value(found[:, 4:], 1e-5, 1 - 1e-5)
    entropy = -truth[:, 4:] * tf.math.log(scores) - (1 - truth[:, 4:]) * tf.math.log(1 - scores) * scores
    distance = tf.reduce_sum(tf.abs(truth[:, :4] - found[:, :4]), 1) * there
    return tf.reduce_sum(entropy, [1, 2]) + 10 * tf.reduce_sum(distance, 1)


def detection_target(classes, boxes):
    target = np.zeros((4 + len(SHAPES), GRID * GRID), np.float32)
    for kind, (left, top, right, bottom) in zip(classes, boxes):
        x, y = (left + right) / 2, (top + bottom) / 2
        cell = min(int(y * GRID), GRID - 1) * GRID + min(int(x * GRID), GRID - 1)
        target[:4, cell] = x, y, right - left, bottom - top
        target[4 + kind, cell] = 1
    return target


def segmenter():
    image = keras.Input((SIDE, SIDE, 3), name="image")
    half, quarter, eighth = encoder(image)
    x = up(up(eighth, quarter, 32), half, 24)
    x = block(L.UpSampling2D(interpolation="bilinear")(x), 16)
    return keras.Model(image, L.Conv2D(1 + len(SHAPES), 1, activation="softmax", name="classes")(x))


class Places(L.Layer):
    """Heat maps to the mean places (y, x in 0..1) of the heat."""

    def call(self, heat):
        side = heat.shape[1]
        share = tf.nn.softmax(tf.transpose(tf.reshape(heat, (-1, side * side, 17)), (0, 2, 1)))
        line = (tf.range(side, dtype=tf.float32) + 0.5) / side
        y, x = tf.meshgrid(line, line, indexing="ij")
        grid = tf.stack([tf.reshape(y, (-1,)), tf.reshape(x, (-1,))], -1)
        return tf.reshape(tf.matmul(tf.reshape(share, (-1, side * side)), grid), (-1, 17, 2))


def poser():
    image = keras.Input((SIDE, SIDE, 3), name="image")
    half, quarter, eighth = encoder(image)
    x = up(block(eighth, 64), quarter, 48)
    heat = L.Conv2D(17, 1)(block(x, 48))
    sure = L.Dense(17, activation="sigmoid")(L.GlobalAveragePooling2D()(block(eighth, 64)))
    points = L.Concatenate()([Places()(heat), L.Reshape((17, 1))(sure)])
    return keras.Model(image, L.Reshape((1, 17, 3), name="keypoints")(points))


def pose_loss(truth, found):
    """Distance of the points, and a score that falls with this distance."""
    distance = tf.norm(truth[..., :2] - found[..., :2] + 1e-6, axis=-1)
    score = tf.stop_gradient(tf.exp(-distance / 0.1))
    return tf.reduce_mean(distance * 10 + (found[..., 2] - score) ** 2, [1, 2])


def fit(model, loss, inputs, targets, epochs):
    steps = epochs * -(-len(inputs) // 64)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, steps)), loss)
    model.fit(inputs, targets, 64, epochs, verbose=2)


def converted(model, output):
    return export.converted(model, (1, SIDE, SIDE, 3), "image", output)


def scaled(pictures):
    return np.stack(pictures).astype(np.float32) / 127.5 - 1


def detect(scenes, rng):
    model = detector()
    inputs = scaled([noisy(scene[0], rng) for scene in scenes])
    targets = np.stack([detection_target(classes, boxes) for _, classes, boxes, _ in scenes])
    fit(model, detection_loss, inputs[HELD_OUT:], targets[HELD_OUT:], 35)
    found = model.predict(inputs[:HELD_OUT], verbose=0)[:, 4:] > 0.5
    right = np.mean([np.array_equal(a.sum(1), b[4:].sum(1)) for a, b in zip(found, targets)])
    print(f"detect: the right shapes in {right:.1%} of {HELD_OUT} held-out pictures (before boxes of one shape are merged)")
    (HERE / "detect.tflite").write_bytes(export.yolo(converted(model, "boxes"), SHAPES))


def segment(scenes, rng):
    model = segmenter()
    inputs = scaled([noisy(scene[0], rng) for scene in scenes])
    masks = np.stack([scene[3] for scene in scenes])
    fit(model, "sparse_categorical_crossentropy", inputs[HELD_OUT:], masks[HELD_OUT:], 8)
    found = model.predict(inputs[:HELD_OUT], verbose=0).argmax(-1)
    print(f"segment: {np.mean(found == masks[:HELD_OUT]):.1%} of the pixels of {HELD_OUT} held-out pictures")
    names = ["background", *SHAPES]
    (HERE / "segment.tflite").write_bytes(export.labelled(converted(model, "classes"), "image", "classes", names))


def pose(people, rng):
    model = poser()
    inputs = scaled([noisy(picture, rng) for picture, _ in people])
    points = np.stack([points for _, points in people])[:, None]
    fit(model, pose_loss, inputs[HELD_OUT:], points[HELD_OUT:], 20)
    found = model.predict(inputs[:HELD_OUT], verbose=0)
    error = np.linalg.norm(found[..., :2] - points[:HELD_OUT], axis=-1)
    print(f"pose: mean distance {error.mean():.4f} of the picture's side, {HELD_OUT} held-out pictures")
    (HERE / "pose.tflite").write_bytes(converted(model, "keypoints"))


def main():
    wanted = sys.argv[1:] or ["detect", "segment", "pose"]
    for name, train in (("detect", detect), ("segment", segment), ("pose", pose)):
        if name not in wanted:
            continue
        # Each model is the same whichever others are trained.
        keras.utils.set_random_seed(SEED)
        rng = np.random.default_rng(SEED)
        scenes, people = [shapes(rng) for _ in range(PICTURES)], [person(rng) for _ in range(PICTURES)]
        train(people if name == "pose" else scenes, rng)
    (HERE / "samples").mkdir(exist_ok=True)
    # Seeds of their own: these pictures are in no training set.
    for number, seed in enumerate((102, 100, 101)):
        for kind, draw in (("shapes", shapes), ("person", person)):
            draw(np.random.default_rng(seed), 256)[0].save(HERE / "samples" / f"{kind}{number}.png", optimize=True)


if __name__ == "__main__":
    main()
