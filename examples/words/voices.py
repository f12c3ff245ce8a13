"""Words spoken by eSpeak NG (https://github.com/espeak-ng/espeak-ng), from its library as the package espeakng-loader has it."""
import ctypes

import espeakng_loader
import numpy as np

RATE = 16_000
LENGTH = 16_000  # samples of a clip: one second
SYNCHRONOUS, CHARACTERS_UTF8, PARAMETER_RATE, PARAMETER_VOLUME, PARAMETER_PITCH, PARAMETER_RANGE = 2, 1, 1, 2, 3, 4
LANGUAGES = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-029", "en-gb-x-gbclan"]
VARIANTS = ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "f1", "f2", "f3", "f4", "f5", "klatt", "klatt2", "klatt3"]

library = ctypes.CDLL(espeakng_loader.get_library_path())
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
heard = []


@CALLBACK
def collect(samples, count, _events):
    if samples and count > 0:
        heard.append(np.ctypeslib.as_array(samples, (count,)).copy())
    return 0


own_rate = library.espeak_Initialize(SYNCHRONOUS, 0, espeakng_loader.get_data_path().encode(), 0)
library.espeak_SetSynthCallback(collect)


def speak(word, voice, speed=170, pitch=50, range_=50):
    """The samples of a word in -1..1, at RATE, without silence around it."""
    heard.clear()
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"unknown voice {voice}")
    for parameter, value in ((PARAMETER_RATE, speed), (PARAMETER_PITCH, pitch), (PARAMETER_RANGE, range_)):
        library.espeak_SetParameter(parameter, int(value), 0)
    text = word.encode()
    library.espeak_Synth(text, len(text) + 1, 0, 1, 0, CHARACTERS_UTF8, None, None)
    library.espeak_Synchronize()
    samples = np.concatenate(heard).astype(np.float32) / 32768
    samples = np.interp(np.arange(0, len(samples), own_rate / RATE), np.arange(len(samples)), samples)
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return samples[loud[0]:loud[-1] + 1].astype(np.float32) if len(loud) else samples[:0].astype(np.float32)
