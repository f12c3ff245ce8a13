package arenite

/*
#include <arenite.h>
#include <arenite_plugin.h>
#include <stdlib.h>

// Go cannot call C function pointers. These functions call the two that an op receives.
static ArStatus set_output_shape(const ArPrepareV1 *host, uint32_t output, const int32_t *dims, uint32_t rank) {
  return host->set_output_shape(host->context, output, dims, rank);
}
static void set_error(ArStr text) { ar_host()->set_error(text); }

// Defined in exports.go.
ArStatus arenitePrepare(ArPrepareV1 *, ArNodeV1 *, void *);
ArStatus areniteEval(ArEvalV1 *, ArNodeV1 *, void *);
void areniteDrop(void *);
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// Op is an op of the program for elements of type FLOAT32. Its functions may be called from several threads at the same
// time.
type Op struct {
	Name     string // name of a custom op; empty for the builtin op with the schema code below
	Builtin  int32
	Versions [2]int32 // first and last supported version; 0 means version 1
	// Shapes returns the outputs' shapes for the inputs' shapes, or an error if the node is invalid.
	Shapes func(inputs [][]int32) ([][]int32, error)
	// Eval fills the outputs. The slices are the tensors' memory and are valid until it returns.
	Eval func(inputs, outputs [][]float32) error
}

// register passes the op to the library's options, which keep the data until the last interpreter is freed.
func (op Op) register(options *C.ArOptions) error {
	name := C.CString(op.Name)
	defer C.free(unsafe.Pointer(name))
	raw := C.ArOpV1{
		header:        C.ArHeader{struct_size: C.uint32_t(unsafe.Sizeof(C.ArOpV1{})), major: 1},
		builtin_code:  C.int32_t(op.Builtin),
		min_version:   C.int32_t(op.Versions[0]),
		max_version:   C.int32_t(op.Versions[1]),
		flags:         C.AR_OP_USER_DATA,
		custom_name:   C.ArStr{data: (*C.uint8_t)(unsafe.Pointer(name)), length: C.size_t(len(op.Name))},
		element_types: 1 << C.AR_TYPE_FLOAT32,
		state_size:    C.uint64_t(unsafe.Sizeof(uintptr(0))),
		state_align:   C.uint64_t(unsafe.Alignof(uintptr(0))),
		prepare:       (*[0]byte)(C.arenitePrepare),
		eval:          (*[0]byte)(C.areniteEval),
	}
	if op.Name != "" {
		raw.builtin_code = C.AR_BUILTIN_CUSTOM
	}
	if op.Versions == [2]int32{} {
		raw.min_version, raw.max_version = 1, 1
	}
	// C must not keep Go pointers, so it gets its own memory that contains a handle.
	data := (*cgo.Handle)(C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*data = cgo.NewHandle(op)
	return taken(C.ar_options_register_op(options, &raw, unsafe.Pointer(data), (C.ArReleaseCallback)(C.areniteDrop)))
}

// opOf finds the op in a node's state, whose first word is the registered pointer.
func opOf(state unsafe.Pointer) Op { return (**(**cgo.Handle)(state)).Value().(Op) }

// tensors returns the entries of the subgraph's table with the indices in a list.
func tensors(node *C.ArNodeV1, list *C.int32_t, count C.size_t) ([]*C.ArTensorV1, error) {
	found := make([]*C.ArTensorV1, int(count))
	for i, index := range unsafe.Slice(list, int(count)) {
		if index < 0 {
			return nil, fmt.Errorf("tensor %d of the node is absent, but this op has no optional tensors", i)
		}
		found[i] = (*C.ArTensorV1)(unsafe.Add(unsafe.Pointer(node.tensors), uintptr(index)*uintptr(node.tensor_stride)))
	}
	return found, nil
}

// prepare sets the shapes of the node's outputs.
func (op Op) prepare(host *C.ArPrepareV1, node *C.ArNodeV1) (C.ArStatus, error) {
	list, err := tensors(node, node.inputs, node.input_count)
	if err != nil {
		return C.AR_STATUS_INVALID, err
	}
	inputs := make([][]int32, len(list))
	for i, tensor := range list {
		inputs[i] = append(inputs[i], unsafe.Slice((*int32)(tensor.dims), int(tensor.rank))...)
	}
	outputs, err := op.Shapes(inputs)
	if err == nil && len(outputs) != int(node.output_count) {
		err = fmt.Errorf("the op returned %d shapes for %d outputs", len(outputs), int(node.output_count))
	}
	if err != nil {
		return C.AR_STATUS_INVALID, err
	}
	for i, shape := range outputs {
		status := C.set_output_shape(host, C.uint32_t(i), (*C.int32_t)(first(shape)), C.uint32_t(len(shape)))
		if status != C.AR_STATUS_OK {
			return status, nil
		}
	}
	return C.AR_STATUS_OK, nil
}

// eval computes the node's outputs.
func (op Op) eval(node *C.ArNodeV1) (C.ArStatus, error) {
	inputs, err := floats(node, node.inputs, node.input_count)
	if err != nil {
		return C.AR_STATUS_INVALID, err
	}
	outputs, err := floats(node, node.outputs, node.output_count)
	if err != nil {
		return C.AR_STATUS_INVALID, err
	}
	if err := op.Eval(inputs, outputs); err != nil {
		return C.AR_STATUS_INVALID, err
	}
	return C.AR_STATUS_OK, nil
}

// floats returns the data of tensors.
func floats(node *C.ArNodeV1, list *C.int32_t, count C.size_t) ([][]float32, error) {
	found, err := tensors(node, list, count)
	data := make([][]float32, len(found))
	for i, tensor := range found {
		data[i] = unsafe.Slice((*float32)(tensor.data), int(tensor.bytes/4))
	}
	return data, err
}

// told runs a function for the host. It passes an error's text to the host, and turns a panic into an error.
func told(body func() (C.ArStatus, error)) (status C.ArStatus) {
	tell := func(text string) {
		raw := C.CString(text)
		defer C.free(unsafe.Pointer(raw))
		C.set_error(C.ArStr{data: (*C.uint8_t)(unsafe.Pointer(raw)), length: C.size_t(len(text))})
	}
	defer func() {
		if reason := recover(); reason != nil {
			tell(fmt.Sprintf("the op panicked: %v", reason))
			status = C.AR_STATUS_PANICKED
		}
	}()
	status, err := body()
	if err != nil {
		tell(err.Error())
	}
	return status
}
