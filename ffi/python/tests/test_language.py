"""Language models choose the tokens that LiteRT's reference kernels choose."""

import os
import pathlib

import numpy as np
import pytest
from conftest import ROOT

arenite = pytest.importorskip("arenite.interpreter", reason="arenite is not installed: pip install ./ffi/python")
errors = pytest.importorskip("arenite.errors")
litert = pytest.importorskip(
    "ai_edge_litert.interpreter", reason="LiteRT is not installed: pip install ai-edge-litert==2.3.0"
)

FOLDER = pathlib.Path(os.environ.get("ARENITE_SHARED", ROOT.parent / "shared")) / "language"


def greedy(package, resolver, path, count):
    """The tokens with the largest logits after token 1, decoded one by one, and the logits."""
    interpreter = package.Interpreter(
        str(path), experimental_op_resolver_type=getattr(package.OpResolverType, resolver)
    )
    decode = interpreter.get_signature_runner("decode")
    inputs = decode.get_input_details()
    caches = {name: np.zeros(t["shape"], t["dtype"]) for name, t in inputs.items() if name.startswith("kv_cache")}
    token, tokens, logits = 1, [], []
    for position in range(count):
        feed = {"tokens": np.array([[token]], np.int32), "input_pos": np.array([position], np.int32), **caches}
        if "mask" in inputs:
            feed["mask"] = np.full(inputs["mask"]["shape"], -np.inf, np.float32)
            feed["mask"][..., : position + 1] = 0
        answer = decode(**feed)
        caches = {name: answer[name] for name in caches}
        logits.append(answer["logits"].ravel())
        token = int(logits[-1].argmax())
        tokens.append(token)
    return tokens, np.array(logits)


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"there is no {FOLDER}")
@pytest.mark.parametrize("kind", ["f32", "q8", "composites_f32", "composites_q8"])
def test_tokens_are_those_of_reference_kernels(kind):
    path = FOLDER / f"llama2c_260k_{kind}_ekv256.tflite"
    tokens, logits = greedy(arenite, "BUILTIN_WITHOUT_DEFAULT_DELEGATES", path, 120)
    wanted, their_logits = greedy(litert, "BUILTIN_REF", path, 120)
    assert tokens == wanted
    np.testing.assert_allclose(logits, their_logits, rtol=0, atol=1e-5 * np.abs(their_logits).max())


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"there is no {FOLDER}")
def test_tied_caches_are_neither_given_nor_returned():
    path = FOLDER / "llama2c_260k_f32_ekv256.tflite"
    wanted, _ = greedy(arenite, "AUTO", path, 20)
    interpreter = arenite.Interpreter(str(path))
    decode = interpreter.get_signature_runner("decode")
    with pytest.raises(ValueError, match="inputs, 2 are given"):
        decode(tokens=np.array([[1]], np.int32), input_pos=np.array([0], np.int32))
    names = interpreter.tie_caches()
    assert names and all(name.startswith("kv_cache") for name in names)
    token, tokens = 1, []
    for position in range(20):
        feed = {"tokens": np.array([[token]], np.int32), "input_pos": np.array([position], np.int32)}
        if "mask" in decode.get_input_details():
            feed["mask"] = np.full(decode.get_input_details()["mask"]["shape"], -np.inf, np.float32)
            feed["mask"][..., : position + 1] = 0
        answer = decode(**feed)
        assert list(answer) == ["logits"]
        token = int(answer["logits"].argmax())
        tokens.append(token)
    assert tokens == wanted


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"there is no {FOLDER}")
def test_a_wrong_pair_is_refused():
    interpreter = arenite.Interpreter(str(FOLDER / "llama2c_260k_f32_ekv256.tflite"))
    with pytest.raises(errors.NotFound, match="kv_cache_x"):
        interpreter.tie("decode", "logits", "kv_cache_x")
    with pytest.raises(errors.TensorError, match="tied tensors have the same type and shape"):
        interpreter.tie("decode", "logits", "tokens")
    interpreter.tie("decode", "kv_cache_k_0", "kv_cache_k_0")


def main():
    """Prints how many tokens of the 8-bit network LiteRT's optimized kernels choose, too."""
    path = FOLDER / "llama2c_260k_q8_ekv256.tflite"
    wanted = greedy(litert, "BUILTIN_WITHOUT_DEFAULT_DELEGATES", path, 120)[0]
    for name, package, resolver in [
        ("LiteRT's reference kernels", litert, "BUILTIN_REF"),
        ("arenite's reference ops", arenite, "BUILTIN_WITHOUT_DEFAULT_DELEGATES"),
        ("arenite's CPU delegate", arenite, "AUTO"),
        ("LiteRT with XNNPACK", litert, "AUTO"),
    ]:
        tokens = greedy(package, resolver, path, 120)[0]
        print(f"{name}: {next((i for i in range(120) if tokens[i] != wanted[i]), 120)} of 120")


if __name__ == "__main__":
    main()
