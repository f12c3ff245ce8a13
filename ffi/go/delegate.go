package arenite

/*
#include <arenite.h>
#include <stdlib.h>
*/
import "C"

import (
	"encoding/json"
	"unsafe"
)

// Delegate names a delegate of a plugin, such as "opencl", with its options.
type Delegate struct {
	Name    string
	Options map[string]string
}

// add adds the delegate to the library's options. It is an error if no plugin has it.
func (d Delegate) add(options *C.ArOptions) error {
	name := C.CString(d.Name)
	defer C.free(unsafe.Pointer(name))
	// In C's memory, so that its pointers may be passed on.
	list := (*C.ArOption)(C.calloc(C.size_t(len(d.Options)+1), C.size_t(unsafe.Sizeof(C.ArOption{}))))
	defer C.free(unsafe.Pointer(list))
	pairs := unsafe.Slice(list, len(d.Options))
	n := 0
	for key, value := range d.Options {
		pairs[n].key, pairs[n].value = C.CString(key), C.CString(value)
		defer C.free(unsafe.Pointer(pairs[n].key))
		defer C.free(unsafe.Pointer(pairs[n].value))
		n++
	}
	return taken(C.ar_options_add_delegate(options, name, C.AR_ON_MISSING_ERROR, list, C.size_t(n)))
}

// DeviceMemory is memory of the program on a delegate's device: for "opencl" a cl_mem, for "vulkan" a VkBuffer.
type DeviceMemory struct {
	Delegate string
	Object   uint64 // its pointer or number
	Offset   uint64 // where the tensor begins in it, in bytes; a multiple of 4
	Bytes    uint64 // from there
}

// BindDeviceMemory makes memory on a delegate's device the value of an input or output until UnbindDeviceMemory. The
// memory must live until then or until the interpreter is closed. See ar_tensor_bind_device_memory for details.
func (t *Tensor) BindDeviceMemory(memory DeviceMemory) error {
	raw := (*C.ArDeviceMemory)(C.calloc(1, C.size_t(unsafe.Sizeof(C.ArDeviceMemory{}))))
	defer C.free(unsafe.Pointer(raw))
	raw.delegate = C.CString(memory.Delegate)
	defer C.free(unsafe.Pointer(raw.delegate))
	raw.object, raw.offset = C.uint64_t(memory.Object), C.uint64_t(memory.Offset)
	raw.size = C.uint64_t(memory.Bytes)
	return taken(C.ar_tensor_bind_device_memory(t.raw, raw))
}

// UnbindDeviceMemory ends a binding. It does nothing without one.
func (t *Tensor) UnbindDeviceMemory() error { return taken(C.ar_tensor_unbind_device_memory(t.raw)) }

// DeviceObject returns an object of the API of a delegate's device, on which to create DeviceMemory: "context" of
// "opencl", for example. See ar_interpreter_device_object.
func (i *Interpreter) DeviceObject(delegate, name string) (uint64, error) {
	of, called := C.CString(delegate), C.CString(name)
	defer C.free(unsafe.Pointer(of))
	defer C.free(unsafe.Pointer(called))
	var object C.uint64_t
	err := taken(C.ar_interpreter_device_object(i.raw, of, called, &object))
	return uint64(object), err
}

// Preview has the nodes that a delegate would run.
type Preview struct {
	Delegate   string
	Partitions [][]int // the nodes of each partition, ascending
	Refusals   []struct {
		Node   int
		Reason string
	}
	LeftOut string `json:"left_out"` // why the delegate is not used; empty if it is
}

// PreviewDelegates returns the partitions that delegates would have in an interpreter with these options. Nothing is
// compiled.
func PreviewDelegates(model *Model, options Options) ([]Preview, error) {
	interpreter, err := unallocated(model, options)
	if err != nil {
		return nil, err
	}
	defer interpreter.Close()
	var text *C.char
	if err := taken(C.ar_interpreter_preview_delegates(interpreter.raw, 0, &text)); err != nil {
		return nil, err
	}
	var found struct{ Delegates []Preview }
	err = json.Unmarshal([]byte(C.GoString(text)), &found)
	return found.Delegates, err
}
