// Package arenite runs .tflite models through the C library of arenite, by cgo alone.
//
// Every object that has a Close method is closed by its owner, once. A model may be closed before its interpreters. An Interpreter
// and its tensors are for one goroutine at a time; a Model is for any number of them.
package arenite

/*
#cgo pkg-config: arenite
#include <arenite.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Error is what a call of the library came to.
type Error struct {
	Code uint32 // AR_ERROR_* of arenite/error.h
	Text string
}

func (e *Error) Error() string { return e.Text }

// taken makes an error of the library's one, and frees that.
func taken(raw *C.ArError) error {
	if raw == nil {
		return nil
	}
	defer C.ar_error_free(raw)
	return &Error{uint32(C.ar_error_code(raw)), C.GoString(C.ar_error_message(raw))}
}

// first points to the elements of a slice; to something that is not looked at, if there are none.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return new(T)
	}
	return &list[0]
}

// Version is the library's, "0.1.0".
func Version() string { return C.GoString(C.ar_version()) }

// Model is a verified .tflite model.
type Model struct{ raw *C.ArModel }

// Open reads a file into memory and verifies it. What happens to the file afterwards changes nothing.
func Open(path string) (*Model, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	model := &Model{}
	if err := taken(C.ar_model_from_file(name, &model.raw)); err != nil {
		return nil, err
	}
	return model, nil
}

// Map maps a file into memory and verifies it: a large model starts sooner and takes less memory than with Open. Until the model and
// its interpreters are closed, the file must not be written to or cut short, which may end the process.
func Map(path string) (*Model, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	model := &Model{}
	if err := taken(C.ar_model_map_file(name, &model.raw)); err != nil {
		return nil, err
	}
	return model, nil
}

// Parse verifies a copy of the bytes of a file.
func Parse(data []byte) (*Model, error) {
	model := &Model{}
	if err := taken(C.ar_model_from_memory(unsafe.Pointer(first(data)), C.size_t(len(data)), &model.raw)); err != nil {
		return nil, err
	}
	return model, nil
}

// Close frees the model.
func (m *Model) Close() {
	C.ar_model_free(m.raw)
	m.raw = nil
}

// Options say what an interpreter is made with. The zero value is the library's default.
type Options struct {
	Threads    int  // 0: one per processor
	References bool // run reference ops, and those below, alone: without the CPU delegate, which otherwise runs what it can
	Ops        []Op // of the program's own; they come before those of plugins
}

// apply makes the library's options.
func (o Options) apply(raw *C.ArOptions) error {
	err := taken(C.ar_options_set_threads(raw, C.uint32_t(o.Threads)))
	if err == nil {
		err = taken(C.ar_options_set_default_delegate(raw, C.bool(!o.References)))
	}
	for i := 0; i < len(o.Ops) && err == nil; i++ {
		err = o.Ops[i].register(raw)
	}
	return err
}

// Interpreter is a model, ready to be run.
type Interpreter struct{ raw *C.ArInterpreter }

// NewInterpreter finds plugins, and makes and allocates an interpreter of the main subgraph.
func NewInterpreter(model *Model, options Options) (*Interpreter, error) {
	raw := C.ar_options_new()
	defer C.ar_options_free(raw)
	if err := options.apply(raw); err != nil {
		return nil, err
	}
	interpreter := &Interpreter{}
	if err := taken(C.ar_interpreter_new(model.raw, raw, &interpreter.raw)); err != nil {
		return nil, err
	}
	if err := interpreter.Allocate(); err != nil {
		interpreter.Close()
		return nil, err
	}
	return interpreter, nil
}

// Resize gives an input another shape. Allocate must follow.
func (i *Interpreter) Resize(position int, shape ...int32) error {
	dims := (*C.int32_t)(first(shape))
	return taken(C.ar_interpreter_resize_input(i.raw, C.size_t(position), dims, C.size_t(len(shape))))
}

// Close frees the interpreter with its tensors.
func (i *Interpreter) Close() {
	C.ar_interpreter_free(i.raw)
	i.raw = nil
}

// Allocate plans memory anew, after Resize.
func (i *Interpreter) Allocate() error { return taken(C.ar_interpreter_allocate(i.raw)) }

// Invoke runs the main subgraph once.
func (i *Interpreter) Invoke() error { return taken(C.ar_interpreter_invoke(i.raw)) }

// Tensor is one of an interpreter's, and lives as long.
type Tensor struct{ raw *C.ArTensor }

// Input is the input at a position.
func (i *Interpreter) Input(position int) (*Tensor, error) {
	tensor := &Tensor{}
	if err := taken(C.ar_interpreter_input(i.raw, C.size_t(position), &tensor.raw)); err != nil {
		return nil, err
	}
	return tensor, nil
}

// Output is the output at a position.
func (i *Interpreter) Output(position int) (*Tensor, error) {
	tensor := &Tensor{}
	if err := taken(C.ar_interpreter_output(i.raw, C.size_t(position), &tensor.raw)); err != nil {
		return nil, err
	}
	return tensor, nil
}

// Name is the tensor's name in the model, TypeName that of its element type, "FLOAT32".
func (t *Tensor) Name() string     { return C.GoString(C.ar_tensor_name(t.raw)) }
func (t *Tensor) TypeName() string { return C.GoString(C.ar_type_name(C.ar_tensor_type(t.raw))) }

// Shape has the dimensions of now, the outermost first.
func (t *Tensor) Shape() []int {
	shape := make([]int, int(C.ar_tensor_rank(t.raw)))
	for axis := range shape {
		shape[axis] = int(C.ar_tensor_dim(t.raw, C.size_t(axis)))
	}
	return shape
}

// Len is the number of elements.
func (t *Tensor) Len() int { return int(C.ar_tensor_element_count(t.raw)) }

// SetFloats fills an input with real numbers, which are quantized if the tensor is.
func (t *Tensor) SetFloats(values []float32) error {
	return taken(C.ar_tensor_quantize(t.raw, (*C.float)(first(values)), C.size_t(len(values))))
}

// Floats gives the elements as real numbers, dequantized if the tensor is quantized.
func (t *Tensor) Floats() ([]float32, error) {
	values := make([]float32, t.Len())
	err := taken(C.ar_tensor_dequantize(t.raw, (*C.float)(first(values)), C.size_t(len(values))))
	return values, err
}

// String describes the tensor: "scores: FLOAT32 [1 10]".
func (t *Tensor) String() string { return fmt.Sprintf("%s: %s %v", t.Name(), t.TypeName(), t.Shape()) }
