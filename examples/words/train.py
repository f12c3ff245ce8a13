"""Train the keyword spotter; write it and its sample clips next to this file.

    python3 train.py
"""
import os
import pathlib
import sys
import wave

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import keras
import numpy as np
import tensorflow as tf

import export
from voices import LANGUAGES, LENGTH, RATE, VARIANTS, speak

L = keras.layers
WORDS = ["yes", "no", "left", "right", "stop", "go"]
OTHERS = ["house", "water", "seven", "music", "tree", "window", "apple", "marvin", "bird", "down", "three", "sheila", "winter", "up"]
NAMES = ["silence", "unknown", *WORDS]
HELD_OUT = {"m5", "f3"}  # variants of the voice that training does not hear
SEED, FILTERS, WIDTH, STEP = 28, 32, 256, 160


def voices():
    return [f"{language}+{variant}" for language in LANGUAGES if language != "en-gb" for variant in VARIANTS]


def placed(word, rng):
    """A second of sound: the word somewhere in it, at some loudness, over noise."""
    clip = rng.normal(0, 1, LENGTH) * 10 ** rng.uniform(-4, -2)
    word = word[:LENGTH]
    at = rng.integers(0, LENGTH - len(word) + 1)
    clip[at:at + len(word)] += word * rng.uniform(0.3, 1.2)
    return np.clip(clip, -1, 1).astype(np.float32)


def clips(rng):
    """Clips, their classes, and whether each is held out."""
    sounds, classes, held = [], [], []
    for voice in voices():
        is_held = voice.split("+")[1] in HELD_OUT
        spoken = [(name, NAMES.index(name)) for name in WORDS for _ in range(4)]
        spoken += [(name, 1) for name in rng.choice(OTHERS, 5)]
        for word, target in spoken:
            sounds.append(placed(speak(word, voice, rng.uniform(130, 230), rng.uniform(25, 75)), rng))
            classes.append(target)
            held.append(is_held)
        for _ in range(3):
            sounds.append(placed(np.zeros(0, np.float32), rng))
            classes.append(0)
            held.append(is_held)
    return np.stack(sounds), np.array(classes), np.array(held)


def filters():
    """Cosines and sines under a Hann window, at frequencies equally spaced on the mel scale from 100 to 7,000 Hz."""
    low, high = (2595 * np.log10(1 + f / 700) for f in (100, 7000))
    hertz = 700 * (10 ** (np.linspace(low, high, FILTERS) / 2595) - 1)
    time = np.arange(WIDTH)[:, None] / RATE
    window = np.hanning(WIDTH)[:, None] / WIDTH
    kernel = np.concatenate([np.cos(2 * np.pi * hertz * time) * window, np.sin(2 * np.pi * hertz * time) * window], 1)
    return kernel.reshape(WIDTH, 1, 1, 2 * FILTERS).astype(np.float32)


class Spectrum(L.Layer):
    """Sound [1,16000] to the logarithm of its energy per frame and band, [1,98,32,1]: the front end, inside the model."""

    def call(self, sound):
        waves = tf.nn.conv2d(sound[:, :, None, None], tf.constant(filters()), [1, STEP, 1, 1], "VALID")
        energy = tf.square(waves[..., :FILTERS]) + tf.square(waves[..., FILTERS:])
        return tf.transpose(tf.math.log(energy + 1e-7), (0, 1, 3, 2)) * 0.2 + 1.5


def network():
    def block(x, channels, stride):
        x = L.DepthwiseConv2D(3, stride, padding="same", use_bias=False)(x)
        x = L.Conv2D(channels, 1, use_bias=False)(x)
        return L.ReLU()(L.BatchNormalization(momentum=0.95)(x))

    sound = keras.Input((LENGTH,), name="sound")
    x = L.Conv2D(24, 3, 2, padding="same", activation="relu")(Spectrum()(sound))
    x = block(block(block(x, 32, 2), 48, 2), 48, 1)
    x = L.Dropout(0.2)(L.GlobalAveragePooling2D()(x))
    return keras.Model(sound, L.Dense(len(NAMES), activation="softmax", name="words")(x))


def save(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def main():
    keras.utils.set_random_seed(SEED)
    rng = np.random.default_rng(SEED)
    sounds, classes, held = clips(rng)
    print(f"{len(sounds)} clips, {held.sum()} held out")
    model = network()
    epochs = 20
    steps = epochs * -(-int((~held).sum()) // 64)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, steps)),
                  "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(sounds[~held], classes[~held], 64, epochs, verbose=2)
    found = model.predict(sounds[held], verbose=0).argmax(1)
    print(f"{np.mean(found == classes[held]):.1%} of the held-out clips")
    converted = export.converted(model, (1, LENGTH), "sound", "words")
    (HERE / "words.tflite").write_bytes(export.labelled(converted, "sound", "words", NAMES, RATE))
    (HERE / "samples").mkdir(exist_ok=True)
    for word, voice in (("yes", "en-us+f3"), ("stop", "en-gb-scotland+m5"), ("left", "en-gb-x-rp+f3")):
        save(HERE / "samples" / f"{word}.wav", placed(speak(word, voice, 160, 50), rng))


if __name__ == "__main__":
    main()
