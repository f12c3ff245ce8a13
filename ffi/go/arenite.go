// Package arenite runs .tflite models through arenite's C library, using only cgo.
//
// The owner of an object with a Close method must call it once. A model may be closed before its interpreters. An
// Interpreter and its tensors may be used by one goroutine at a time, a Model by any number.
package arenite

/*
#cgo pkg-config: arenite
#include <arenite.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Error is an error of the library.
type Error struct {
	Code uint32 // AR_ERROR_* of arenite/error.h
	Text string
}

func (e *Error) Error() string { return e.Text }

// taken converts an error of the library and frees it.
func taken(raw *C.ArError) error {
	if raw == nil {
		return nil
	}
	defer C.ar_error_free(raw)
	return &Error{uint32(C.ar_error_code(raw)), C.GoString(C.ar_error_message(raw))}
}

// first returns a pointer to the elements of a slice, or a valid pointer that must not be read if the slice is empty.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return new(T)
	}
	return &list[0]
}

// Version returns the library's version, for example "0.1.0".
func Version() string { return C.GoString(C.ar_version()) }

// Model is a verified .tflite model.
type Model struct{ raw *C.ArModel }

// Open reads a file into memory and verifies it. Later changes to the file have no effect.
func Open(path string) (*Model, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	model := &Model{}
	if err := taken(C.ar_model_from_file(name, &model.raw)); err != nil {
		return nil, err
	}
	return model, nil
}

// Map maps a file into memory and verifies it. A large model starts sooner and uses less memory than with Open. Until
// the model and its interpreters are closed, the file must be neither written to nor truncated: that may end the
// process.
func Map(path string) (*Model, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	model := &Model{}
	if err := taken(C.ar_model_map_file(name, &model.raw)); err != nil {
		return nil, err
	}
	return model, nil
}

// OpenPart reads length bytes at offset of an open file and verifies them: a model inside an archive or another file. The
// file may be closed afterwards, and its position does not change.
func OpenPart(file *os.File, offset, length uint64) (*Model, error) {
	model := &Model{}
	err := taken(C.ar_model_from_descriptor(C.int(file.Fd()), C.uint64_t(offset), C.uint64_t(length), &model.raw))
	runtime.KeepAlive(file)
	if err != nil {
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

// Options configure an interpreter. The zero value is the library's default.
type Options struct {
	Threads    int  // 0: one per processor
	References bool // run only reference ops and Ops, without the CPU delegate
	Ops        []Op // ops of the program, which run instead of plugins' ops and delegates
	Require    bool // fail if a node runs elsewhere than on the CPU delegate
	PluginDirs []string
	Delegates  []Delegate // they claim nodes in this order, before the CPU delegate
}

// apply sets the library's options.
func (o Options) apply(raw *C.ArOptions) error {
	err := taken(C.ar_options_set_threads(raw, C.uint32_t(o.Threads)))
	if err == nil {
		err = taken(C.ar_options_set_default_delegate(raw, C.bool(!o.References)))
	}
	for n := 0; n < len(o.PluginDirs) && err == nil; n++ {
		path := C.CString(o.PluginDirs[n])
		err = taken(C.ar_options_add_plugin_dir(raw, path))
		C.free(unsafe.Pointer(path))
	}
	for n := 0; n < len(o.Delegates) && err == nil; n++ {
		err = o.Delegates[n].add(raw)
	}
	if o.Require && err == nil {
		err = requireCPU(raw)
	}
	for i := 0; i < len(o.Ops) && err == nil; i++ {
		err = o.Ops[i].register(raw)
	}
	return err
}

// requireCPU makes the CPU delegate the one that must run every node.
func requireCPU(raw *C.ArOptions) error {
	name := C.CString("cpu")
	defer C.free(unsafe.Pointer(name))
	if err := taken(C.ar_options_add_delegate(raw, name, C.AR_ON_MISSING_ERROR, nil, 0)); err != nil {
		return err
	}
	return taken(C.ar_options_require_delegate(raw, name, nil))
}

// Interpreter runs a model.
type Interpreter struct{ raw *C.ArInterpreter }

// NewInterpreter searches for plugins, and creates and allocates an interpreter of the main subgraph.
func NewInterpreter(model *Model, options Options) (*Interpreter, error) {
	interpreter, err := unallocated(model, options)
	if err != nil {
		return nil, err
	}
	if err := interpreter.Allocate(); err != nil {
		interpreter.Close()
		return nil, err
	}
	return interpreter, nil
}

// unallocated creates an interpreter.
func unallocated(model *Model, options Options) (*Interpreter, error) {
	raw := C.ar_options_new()
	defer C.ar_options_free(raw)
	if err := options.apply(raw); err != nil {
		return nil, err
	}
	interpreter := &Interpreter{}
	if err := taken(C.ar_interpreter_new(model.raw, raw, &interpreter.raw)); err != nil {
		return nil, err
	}
	return interpreter, nil
}

// Resize changes the shape of an input. Call Allocate afterwards.
func (i *Interpreter) Resize(position int, shape ...int32) error {
	dims := (*C.int32_t)(first(shape))
	return taken(C.ar_interpreter_resize_input(i.raw, C.size_t(position), dims, C.size_t(len(shape))))
}

// Close frees the interpreter and its tensors.
func (i *Interpreter) Close() {
	C.ar_interpreter_free(i.raw)
	i.raw = nil
}

// Allocate plans memory again after Resize.
func (i *Interpreter) Allocate() error { return taken(C.ar_interpreter_allocate(i.raw)) }

// Invoke runs the main subgraph once.
func (i *Interpreter) Invoke() error { return taken(C.ar_interpreter_invoke(i.raw)) }

// Tensor belongs to an interpreter and is valid as long as it.
type Tensor struct{ raw *C.ArTensor }

// Input returns the input at a position.
func (i *Interpreter) Input(position int) (*Tensor, error) {
	tensor := &Tensor{}
	if err := taken(C.ar_interpreter_input(i.raw, C.size_t(position), &tensor.raw)); err != nil {
		return nil, err
	}
	return tensor, nil
}

// Output returns the output at a position.
func (i *Interpreter) Output(position int) (*Tensor, error) {
	tensor := &Tensor{}
	if err := taken(C.ar_interpreter_output(i.raw, C.size_t(position), &tensor.raw)); err != nil {
		return nil, err
	}
	return tensor, nil
}

// Name returns the tensor's name in the model; TypeName returns the name of its element type, for example "FLOAT32".
func (t *Tensor) Name() string     { return C.GoString(C.ar_tensor_name(t.raw)) }
func (t *Tensor) TypeName() string { return C.GoString(C.ar_type_name(C.ar_tensor_type(t.raw))) }

// Shape returns the current dimensions, outermost first.
func (t *Tensor) Shape() []int {
	shape := make([]int, int(C.ar_tensor_rank(t.raw)))
	for axis := range shape {
		shape[axis] = int(C.ar_tensor_dim(t.raw, C.size_t(axis)))
	}
	return shape
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return int(C.ar_tensor_element_count(t.raw)) }

// SetFloats fills an input with real numbers, which are quantized if the tensor is.
func (t *Tensor) SetFloats(values []float32) error {
	return taken(C.ar_tensor_quantize(t.raw, (*C.float)(first(values)), C.size_t(len(values))))
}

// Floats returns the elements as real numbers, dequantized if the tensor is quantized.
func (t *Tensor) Floats() ([]float32, error) {
	values := make([]float32, t.Len())
	err := taken(C.ar_tensor_dequantize(t.raw, (*C.float)(first(values)), C.size_t(len(values))))
	return values, err
}

// String describes the tensor: "scores: FLOAT32 [1 10]".
func (t *Tensor) String() string { return fmt.Sprintf("%s: %s %v", t.Name(), t.TypeName(), t.Shape()) }
