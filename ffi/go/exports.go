package arenite

/*
#include <arenite_plugin.h>
#include <stdlib.h>
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

//export arenitePrepare
func arenitePrepare(host *C.ArPrepareV1, node *C.ArNodeV1, state unsafe.Pointer) C.ArStatus {
	return told(func() (C.ArStatus, error) { return opOf(state).prepare(host, node) })
}

//export areniteEval
func areniteEval(_ *C.ArEvalV1, node *C.ArNodeV1, state unsafe.Pointer) C.ArStatus {
	return told(func() (C.ArStatus, error) { return opOf(state).eval(node) })
}

//export areniteDrop
func areniteDrop(data unsafe.Pointer) {
	(*cgo.Handle)(data).Delete()
	C.free(data)
}
