package arenite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
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
