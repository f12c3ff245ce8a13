"""Runs a model with inputs, and sometimes new input shapes, for each invocation. Returns the outputs or an error for each."""
import ctypes
import numpy as np

# TfLiteType of float, int, bool and 8-bit tensors.
TYPES = {np.float32: 1, np.int32: 2, np.bool_: 6, np.int8: 9}
POINTER, INT, SIZE = ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t
FUNCTIONS = {
    "ModelCreate": (POINTER, [ctypes.c_char_p, SIZE]),
    "ModelDelete": (None, [POINTER]),
    "InterpreterOptionsCreate": (POINTER, []),
    "InterpreterOptionsDelete": (None, [POINTER]),
    "InterpreterOptionsSetNumThreads": (None, [POINTER, INT]),
    "InterpreterCreate": (POINTER, [POINTER, POINTER]),
    "InterpreterDelete": (None, [POINTER]),
    "InterpreterAllocateTensors": (INT, [POINTER]),
    "InterpreterInvoke": (INT, [POINTER]),
    "InterpreterGetInputTensor": (POINTER, [POINTER, INT]),
    "InterpreterGetOutputTensor": (POINTER, [POINTER, INT]),
    "InterpreterGetOutputTensorCount": (INT, [POINTER]),
    "InterpreterResizeInputTensor": (INT, [POINTER, INT, ctypes.POINTER(INT), INT]),
    "TensorType": (INT, [POINTER]),
    "TensorNumDims": (INT, [POINTER]),
    "TensorDim": (INT, [POINTER, INT]),
    "TensorByteSize": (SIZE, [POINTER]),
    "TensorData": (POINTER, [POINTER]),
    "TensorCopyFromBuffer": (INT, [POINTER, ctypes.c_char_p, SIZE]),
}


class Library:
    """A library with TensorFlow Lite's C interface."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "TfLite" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def run(self, model, feeds, resizes):
        handle = self.ModelCreate(model, len(model))
        if not handle:
            return ["model refused"]
        options = self.InterpreterOptionsCreate()
        self.InterpreterOptionsSetNumThreads(options, 1)
        interpreter = self.InterpreterCreate(handle, options)
        self.InterpreterOptionsDelete(options)
        done = []
        if not interpreter:
            self.ModelDelete(handle)
            return ["build refused"]
        for k, feed in enumerate(feeds):
            stage = self.invoke(interpreter, feed, resizes.get(k, {}), k == 0)
            done.append(f"{stage} refused" if stage else self.outputs(interpreter))
            if stage:
                break
        self.InterpreterDelete(interpreter)
        self.ModelDelete(handle)
        return done

    def invoke(self, interpreter, feed, resizes, first):
        """The stage that failed, or None."""
        for i, shape in resizes.items():
            if self.InterpreterResizeInputTensor(interpreter, i, (INT * len(shape))(*shape), len(shape)):
                return "resize"
        if (first or resizes) and self.InterpreterAllocateTensors(interpreter):
            return "allocate"
        for i, data in enumerate(feed):
            if self.TensorCopyFromBuffer(self.InterpreterGetInputTensor(interpreter, i), data, len(data)):
                return "copy"
        return "invoke" if self.InterpreterInvoke(interpreter) else None

    def outputs(self, interpreter):
        results = []
        for i in range(self.InterpreterGetOutputTensorCount(interpreter)):
            tensor = self.InterpreterGetOutputTensor(interpreter, i)
            shape = tuple(self.TensorDim(tensor, d) for d in range(self.TensorNumDims(tensor)))
            bytes, data = self.TensorByteSize(tensor), self.TensorData(tensor)
            results.append((self.TensorType(tensor), shape, ctypes.string_at(data, bytes) if data else b""))
        return results


class LiteRT:
    """ai-edge-litert without delegates: it runs nodes in the file's order."""

    def run(self, model, feeds, resizes):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        done, stage = [], "build"
        try:
            interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=plain)
            # The class raises an error if a second reference to its memory exists.
            inner = lambda: interpreter._interpreter
            for k, feed in enumerate(feeds):
                for i, shape in resizes.get(k, {}).items():
                    stage = "resize"
                    interpreter.resize_tensor_input(inner().InputIndices()[i], shape)
                if k == 0 or k in resizes:
                    stage = "allocate"
                    interpreter.allocate_tensors()
                stage = "copy"
                for tensor, data in zip(inner().InputIndices(), feed):
                    type, shape = inner().TensorType(tensor, 0), inner().TensorSize(tensor, 0)
                    interpreter.set_tensor(tensor, np.frombuffer(data, type).reshape(shape))
                stage = "invoke"
                interpreter.invoke()
                values = [interpreter.get_tensor(i) for i in inner().OutputIndices()]
                done.append([(TYPES[value.dtype.type], value.shape, value.tobytes()) for value in values])
        except (RuntimeError, ValueError) as error:
            done.append(f"{stage} refused: {error}")
        return done
