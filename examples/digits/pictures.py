"""Pictures of the digits, and the conversion of a picture to a model's input tensor."""
import numpy as np
from PIL import Image

SIDE = 128  # pixels of a picture
INPUT = 16  # pixels of the model's input


def draw(digit):
    """An 8x8 array of 0..16 as a 128x128 greyscale picture: one source pixel of black margin, bicubic upscaling."""
    source = np.pad(np.rint(np.asarray(digit) * (255 / 16)).astype(np.uint8), 1)
    return Image.fromarray(source).resize((SIDE, SIDE), Image.Resampling.BICUBIC)


def shrink(picture, side=INPUT):
    """Bilinear, half-pixel centres, no antialiasing, no rounding: pixel i reads the source at (i + 0.5) * n / side - 0.5."""
    pixels = np.asarray(picture, np.float64)
    for axis in (0, 1):
        n = pixels.shape[axis]
        at = np.clip((np.arange(side) + 0.5) * n / side - 0.5, 0, n - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, n - 1)
        part = np.expand_dims(at - low, 1 - axis)
        pixels = np.take(pixels, low, axis) * (1 - part) + np.take(pixels, high, axis) * part
    return pixels


def shrink_pillow(picture, filter):
    return np.asarray(picture.resize((INPUT, INPUT), filter), np.float64)


def corners_aligned(picture):
    """Bilinear on the grid that maps the first and last pixels of both sides onto each other."""
    pixels = np.asarray(picture, np.float64)
    at = np.arange(INPUT) * (SIDE - 1) / (INPUT - 1)
    rows = np.array([np.interp(at, np.arange(SIDE), row) for row in pixels])
    return np.array([np.interp(at, np.arange(SIDE), column) for column in rows.T]).T


def moved(picture, dx, dy):
    return picture.transform(picture.size, Image.Transform.AFFINE, (1, 0, dx, 0, 1, dy), Image.Resampling.BILINEAR)


# Methods of other image loaders. A sample picture must get the same class with all of them.
RESIZERS = {
    "bilinear": shrink,
    "bilinear, rounded to 8 bits": lambda p: np.rint(shrink(p)),
    "bilinear, antialiased": lambda p: shrink_pillow(p, Image.Resampling.BILINEAR),
    "box average": lambda p: shrink_pillow(p, Image.Resampling.BOX),
    "nearest": lambda p: shrink_pillow(p, Image.Resampling.NEAREST),
    "bicubic, antialiased": lambda p: shrink_pillow(p, Image.Resampling.BICUBIC),
    "lanczos": lambda p: shrink_pillow(p, Image.Resampling.LANCZOS),
    "bilinear, top-left pixel": lambda p: np.asarray(p, np.float64)[:: SIDE // INPUT, :: SIDE // INPUT],
    "bilinear, corners aligned": corners_aligned,
    **{f"bilinear, moved {dx},{dy}": lambda p, dx=dx, dy=dy: shrink(moved(p, dx, dy))
       for dx, dy in ((4, 0), (-4, 0), (0, 4), (0, -4))},
}


def tensor(pixels, detail):
    """Pixels 0..255 as the input tensor that `detail` (an entry of get_input_details) describes."""
    real = (pixels / 127.5 - 1).astype(np.float32).reshape(1, INPUT, INPUT, 1)
    if detail["dtype"] == np.float32:
        return real
    scale, zero_point = detail["quantization"]
    steps = real.astype(np.float64) / scale
    steps = np.copysign(np.floor(np.abs(steps) + 0.5), steps) + zero_point  # round half away from zero
    limits = np.iinfo(detail["dtype"])
    return np.clip(steps, limits.min, limits.max).astype(detail["dtype"])


def probabilities(interpreter, pixels):
    """The ten class probabilities (dequantized where the output is integer), and the raw input and output tensors."""
    given, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    fed = tensor(pixels, given)
    interpreter.set_tensor(given["index"], fed)
    interpreter.invoke()
    raw = interpreter.get_tensor(result["index"])
    real = raw[0].astype(np.float64)
    if raw.dtype != np.float32:
        scale, zero_point = result["quantization"]
        real = (real - zero_point) * scale
    return real, fed, raw
