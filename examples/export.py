"""Converts a Keras model to a .tflite file that describes itself: a signature, and labels in TensorFlow Lite metadata or in a metadata.json as
Ultralytics writes it."""
import io
import json
import tempfile
import zipfile

import flatbuffers
import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.lite.tools import flatbuffer_utils
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

AXIS_LABELS = 2
AUDIO = 4


def converted(model, shape, input_name, output_name):
    """The file, with weights of 16 bits; its signature and its tensors have the given names."""
    spec = tf.TensorSpec(shape, tf.float32, input_name)
    constant = convert_variables_to_constants_v2(
        tf.function(lambda given: model(given, training=False)).get_concrete_function(spec))
    served = tf.Module()
    served.serve = tf.function(lambda given: {output_name: constant(given)[0]}, input_signature=[spec])
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(served, saved, signatures={"serving_default": served.serve})
        converter = tf.lite.TFLiteConverter.from_saved_model(saved)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]
        described = flatbuffer_utils.convert_bytearray_to_object(converter.convert())
    graph = described.subgraphs[0]
    graph.tensors[graph.inputs[0]].name = input_name.encode()
    graph.tensors[graph.outputs[0]].name = output_name.encode()
    return bytes(flatbuffer_utils.convert_object_to_bytearray(described))


def packed(model, files):
    """The model with `files` (name to text) in a zip archive at its end, where TensorFlow Lite expects them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as writer:
        for name, text in files.items():
            writer.writestr(zipfile.ZipInfo(name), text)
    return model + archive.getvalue()


def yolo(model, names):
    described = {"task": "detect", "names": dict(enumerate(names))}
    return packed(model, {"metadata.json": json.dumps(described)})


def labelled(model, input_name, output_name, names, sample_rate=None):
    """The model with names for the last axis of its output and, if its input is sound, the samples per second."""
    described = flatbuffer_utils.convert_bytearray_to_object(model)
    buffer = schema.BufferT()
    buffer.data = list(tables(input_name, output_name, sample_rate))
    described.buffers.append(buffer)
    entry = schema.MetadataT()
    entry.name, entry.buffer = b"TFLITE_METADATA", len(described.buffers) - 1
    described.metadata = (described.metadata or []) + [entry]
    plain = bytes(flatbuffer_utils.convert_object_to_bytearray(described))
    return packed(plain, {"labels.txt": "".join(f"{name}\n" for name in names)})


def tables(input_name, output_name, sample_rate):
    """ModelMetadata of metadata_schema.fbs, with one input and one output."""
    b = flatbuffers.Builder(256)

    def table(fields, slots):
        b.StartObject(slots)
        for slot, kind, value in fields:
            if kind == "offset":
                b.PrependUOffsetTRelativeSlot(slot, value, 0)
            elif kind == "byte":
                b.PrependUint8Slot(slot, value, 0)
            else:
                b.PrependUint32Slot(slot, value, 0)
        return b.EndObject()

    def vector(items):
        b.StartVector(4, len(items), 4)
        for item in reversed(items):
            b.PrependUOffsetTRelative(item)
        return b.EndVector()

    name = b.CreateString(input_name)
    fields = [(0, "offset", name)]
    if sample_rate:
        audio = table([(0, "word", sample_rate), (1, "word", 1)], 2)
        content = table([(0, "byte", AUDIO), (1, "offset", audio)], 3)
        fields.append((3, "offset", content))
    given = vector([table(fields, 7)])
    file_name = b.CreateString("labels.txt")
    files = vector([table([(0, "offset", file_name), (2, "byte", AXIS_LABELS)], 5)])
    name = b.CreateString(output_name)
    made = vector([table([(0, "offset", name), (6, "offset", files)], 7)])
    subgraphs = vector([table([(2, "offset", given), (3, "offset", made)], 6)])
    title = b.CreateString("arenite example")
    b.Finish(table([(0, "offset", title), (3, "offset", subgraphs)], 8), b"M001")
    return bytes(b.Output())
