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


def moved_out(path, folder, group="weights.bin"):
    """The model with its weights in a file next to it, as LiteRT's tools write it."""
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    flatbuffers = pytest.importorskip("flatbuffers")
    content = path.read_bytes()
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    for buffer in model.buffers:
        if buffer.offset > 1:
            buffer.data = np.frombuffer(content, np.uint8, buffer.size, buffer.offset)
            buffer.offset = buffer.size = 0
    model.externalBufferGroups, model.externalBuffers, weights = [], [], bytearray()
    for name in ("", group):
        entry = schema.ExternalBufferGroupT()
        entry.name = name
        model.externalBufferGroups.append(entry)
    of_buffer = {}
    for tensor in (tensor for graph in model.subgraphs for tensor in graph.tensors):
        data = model.buffers[tensor.buffer].data
        if data is None or len(data) < 1024:
            continue
        if tensor.buffer not in of_buffer:
            weights += bytes(-len(weights) % 64)
            part = schema.ExternalBufferT()
            part.id, part.group, part.packing = 1 << 31 | len(model.externalBuffers), 1, "unpacked"
            part.offset, part.length = len(weights), len(data)
            weights += bytes(memoryview(data))
            model.externalBuffers.append(part)
            of_buffer[tensor.buffer] = part.id
        tensor.externalBuffer, tensor.buffer = of_buffer[tensor.buffer], 0
    for buffer in of_buffer:
        model.buffers[buffer].data = None
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    (folder / "model.tflite").write_bytes(bytes(builder.Output()))
    (folder / group).write_bytes(weights)
    return folder / "model.tflite"


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"there is no {FOLDER}")
@pytest.mark.parametrize("kind", ["f32", "q8"])
def test_weights_in_another_file_give_the_same_results(kind, tmp_path):
    whole = FOLDER / f"llama2c_260k_{kind}_ekv256.tflite"
    model = moved_out(whole, tmp_path)
    assert model.stat().st_size < whole.stat().st_size
    wanted, wanted_logits = greedy(arenite, "AUTO", whole, 20)
    tokens, logits = greedy(arenite, "AUTO", model, 20)
    assert tokens == wanted
    np.testing.assert_array_equal(logits, wanted_logits)

    content, weights = model.read_bytes(), (tmp_path / "weights.bin").read_bytes()
    given = arenite.Interpreter(model_content=content, groups={"weights.bin": weights})
    assert "decode" in given.get_signature_list()
    with pytest.raises(ValueError, match="'weights.bin' has constants"):
        arenite.Interpreter(model_content=content)
    with pytest.raises(ValueError, match="groups are given with a model_path"):
        arenite.Interpreter(str(model), groups={"weights.bin": weights})
    with pytest.raises(ValueError, match="exceed the file of 100 bytes"):
        arenite.Interpreter(model_content=content, groups={"weights.bin": weights[:100]})


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
