package arenite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// model opens one of the models that `cargo test -p arenite-cpp` writes.
func model(t *testing.T, name string) *Model {
	t.Helper()
	folder := os.Getenv("ARENITE_TEST_MODELS")
	if folder == "" {
		t.Skip("ARENITE_TEST_MODELS names no folder with models: cargo test -p arenite-cpp makes one")
	}
	opened, err := Open(filepath.Join(folder, name+".tflite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	return opened
}

// run returns the output for one number.
func run(t *testing.T, model *Model, options Options, x float32) (float32, error) {
	t.Helper()
	interpreter, err := NewInterpreter(model, options)
	if err != nil {
		return 0, err
	}
	defer interpreter.Close()
	input, _ := interpreter.Input(0)
	if err := input.SetFloats([]float32{x}); err != nil {
		t.Fatal(err)
	}
	if err := interpreter.Invoke(); err != nil {
		return 0, err
	}
	output, _ := interpreter.Output(0)
	values, err := output.Floats()
	if err != nil || len(values) != 1 {
		t.Fatal(values, err)
	}
	return values[0], nil
}

// scale returns a custom op for the model `custom`; its function captures the factor.
func scale(factor float32) Op {
	return Op{
		Name:   "NoSuchOp",
		Shapes: func(inputs [][]int32) ([][]int32, error) { return inputs, nil },
		Eval: func(inputs, outputs [][]float32) error {
			for i, x := range inputs[0] {
				outputs[0][i] = factor * x
			}
			return nil
		},
	}
}

func TestCustomOp(t *testing.T) {
	custom := model(t, "custom")
	if y, err := run(t, custom, Options{Ops: []Op{scale(2.5)}}, 4); err != nil || y != 10 {
		t.Fatal(y, err)
	}
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		factor := float32(i)
		wait.Add(1)
		go func() {
			defer wait.Done()
			if y, err := run(t, custom, Options{Threads: 1, Ops: []Op{scale(factor)}}, 4); err != nil || y != 4*factor {
				t.Error(y, err)
			}
		}()
	}
	wait.Wait()
}

func TestErrorsOfOps(t *testing.T) {
	refusing, failing, panicking, wrong := scale(1), scale(1), scale(1), scale(1)
	refusing.Shapes = func([][]int32) ([][]int32, error) { return nil, errors.New("not on a Monday") }
	failing.Eval = func(_, _ [][]float32) error { return errors.New("no luck") }
	panicking.Eval = func(inputs, _ [][]float32) error { inputs[7][0] = 1; return nil }
	wrong.Shapes = func(inputs [][]int32) ([][]int32, error) { return nil, nil }
	negative := scale(1)
	negative.Shapes = func([][]int32) ([][]int32, error) { return [][]int32{{-4}}, nil }
	custom := model(t, "custom")
	for text, ops := range map[string][]Op{
		"not on a Monday":          {refusing},
		"no luck":                  {failing},
		"index out of range":       {panicking},
		"0 shapes":                 {wrong},
		"-4":                       {negative},
		"NoSuchOp":                 nil,
		"op":                       {scale(1), scale(2)},
		"an invalid version range": {{Name: "x", Versions: [2]int32{3, 2}, Shapes: wrong.Shapes, Eval: failing.Eval}},
	} {
		if _, err := run(t, custom, Options{Ops: ops}, 1); err == nil {
			t.Errorf("no error where %q is wanted", text)
		} else if !strings.Contains(err.Error(), text) && text != "an invalid version range" {
			t.Errorf("%q is missing in: %v", text, err)
		}
	}
}

func TestErrorsOfModels(t *testing.T) {
	var told *Error
	for _, load := range []func(string) (*Model, error){Open, Map} {
		if _, err := load("no/such/file"); !errors.As(err, &told) || told.Code != 2 || !strings.Contains(told.Text, "no/such/file") {
			t.Fatal(err)
		}
	}
	for _, data := range [][]byte{nil, []byte("not a model")} {
		if _, err := Parse(data); err == nil {
			t.Fatalf("%q is accepted as a model", data)
		}
	}
}

func TestPartsOfFiles(t *testing.T) {
	folder := os.Getenv("ARENITE_TEST_MODELS")
	if folder == "" {
		t.Skip("ARENITE_TEST_MODELS names no folder with models: cargo test -p arenite-cpp makes one")
	}
	bytes, err := os.ReadFile(filepath.Join(folder, "custom.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "package"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(append([]byte("package"), bytes...)); err != nil {
		t.Fatal(err)
	}
	model, err := OpenPart(file, 7, uint64(len(bytes)))
	if err != nil {
		t.Fatal(err)
	}
	model.Close()
	if _, err := OpenPart(file, 8, uint64(len(bytes))); err == nil {
		t.Error("a part beyond the end of the file was read")
	}
}

func TestShapes(t *testing.T) {
	interpreter, err := NewInterpreter(model(t, "sqrt"), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer interpreter.Close()
	input, _ := interpreter.Input(0)
	if text := input.String(); text != "x: FLOAT32 [2 3]" {
		t.Fatal(text)
	}
	if err := interpreter.Resize(0, 2); err != nil {
		t.Fatal(err)
	}
	if err := interpreter.Allocate(); err != nil {
		t.Fatal(err)
	}
	if err := input.SetFloats([]float32{16, 25, 36}); err == nil {
		t.Fatal("three numbers are accepted for two elements")
	}
	if err := input.SetFloats([]float32{16, 25}); err != nil {
		t.Fatal(err)
	}
	if err := interpreter.Invoke(); err != nil {
		t.Fatal(err)
	}
	output, _ := interpreter.Output(0)
	if roots, err := output.Floats(); err != nil || roots[0] != 4 || roots[1] != 5 {
		t.Fatal(roots, err)
	}
	if _, err := interpreter.Output(2); err == nil {
		t.Fatal("a third output was found")
	}
}

// far returns options with the delegate `far` of a plugin in C, whose device is the program's own memory.
func far(t *testing.T) Options {
	t.Helper()
	plugins := os.Getenv("ARENITE_TEST_PLUGINS")
	if plugins == "" {
		t.Skip("ARENITE_TEST_PLUGINS names no folder with plugins: cargo test -p arenite-cpp makes one")
	}
	return Options{References: true, PluginDirs: []string{plugins}, Delegates: []Delegate{{Name: "far"}}}
}

func TestDeviceMemory(t *testing.T) {
	interpreter, err := NewInterpreter(model(t, "cube"), far(t))
	if err != nil {
		t.Fatal(err)
	}
	defer interpreter.Close()
	if _, err := interpreter.DeviceObject("far", "attic"); err != nil {
		t.Fatal(err)
	}
	if _, err := interpreter.DeviceObject("far", "cellar"); err == nil || !strings.Contains(err.Error(), "attic") {
		t.Fatal(err)
	}
	from, to := &[6]float32{0, 0, 2, -1, 0.5, 3}, &[4]float32{}
	memory := func(at unsafe.Pointer, offset, bytes uint64) DeviceMemory {
		return DeviceMemory{"far", uint64(uintptr(at)), offset, bytes}
	}
	input, _ := interpreter.Input(0)
	output, _ := interpreter.Output(0)
	if err := input.BindDeviceMemory(memory(unsafe.Pointer(from), 8, 16)); err != nil {
		t.Fatal(err)
	}
	if err := output.BindDeviceMemory(memory(unsafe.Pointer(to), 0, 16)); err != nil {
		t.Fatal(err)
	}
	if err := interpreter.Invoke(); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(from)
	if *to != [4]float32{8, -1, 0.125, 27} {
		t.Fatal(*to)
	}
	err = input.BindDeviceMemory(memory(unsafe.Pointer(from), 0, 15))
	if err == nil || !strings.Contains(err.Error(), "has 15 bytes, it needs 16") {
		t.Fatal(err)
	}
	for _, tensor := range []*Tensor{input, output} {
		if err := tensor.UnbindDeviceMemory(); err != nil {
			t.Fatal(err)
		}
	}
	if values, err := output.Floats(); err != nil || len(values) != 4 {
		t.Fatal(values, err)
	}
}

func TestPreviewsOfDelegates(t *testing.T) {
	found, err := PreviewDelegates(model(t, "cube"), far(t))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	far := found[0]
	if far.Delegate != "far" || len(far.Partitions) == 0 || len(far.Refusals) == 0 || far.LeftOut != "" {
		t.Fatal(far)
	}
	if far.Refusals[0].Reason != "far supports only NEG" {
		t.Fatal(far.Refusals)
	}
	if _, err := PreviewDelegates(model(t, "cube"), Options{Delegates: []Delegate{{Name: "nowhere"}}}); err == nil {
		t.Fatal("an unknown delegate has no preview")
	}
}
