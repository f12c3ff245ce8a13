// Classify names the digit in a picture in the binary PGM format (P5, 8 bits), with the models of examples/digits.
//
// Usage: classify [-scores] [-softmax] MODEL.tflite PICTURE.pgm
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"

	arenite "github.com/arenite/arenite/ffi/go"
)

// softmax implements the builtin op SOFTMAX (25) over the last axis in Go, instead of the library's.
var softmax = arenite.Op{
	Builtin: 25,
	Shapes: func(inputs [][]int32) ([][]int32, error) {
		if len(inputs) != 1 || len(inputs[0]) == 0 {
			return nil, errors.New("SOFTMAX needs one input of rank 1 or more")
		}
		return inputs, nil
	},
	Eval: func(inputs, outputs [][]float32) error {
		most, sum := math.Inf(-1), 0.0
		for _, x := range inputs[0] {
			most = math.Max(most, float64(x))
		}
		for i, x := range inputs[0] {
			power := math.Exp(float64(x) - most)
			outputs[0][i] = float32(power)
			sum += power
		}
		for i := range outputs[0] {
			outputs[0][i] /= float32(sum)
		}
		return nil
	},
}

// readPicture returns the pixels in the range of the models, p / 127.5 - 1.
func readPicture(path string, count int) ([]float32, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var width, height, white int
	_, err = fmt.Fscanf(bytes.NewReader(data), "P5\n%d %d\n%d\n", &width, &height, &white)
	if err != nil || white != 255 || width*height != count || len(data) < count {
		return nil, fmt.Errorf("%s is not a PGM picture with %d pixels of 8 bits", path, count)
	}
	pixels := make([]float32, count)
	for i, p := range data[len(data)-count:] {
		pixels[i] = float32(p)/127.5 - 1
	}
	return pixels, nil
}

// classify returns the scores of a picture.
func classify(model, picture string, options arenite.Options) ([]float32, error) {
	file, err := arenite.Open(model)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	interpreter, err := arenite.NewInterpreter(file, options)
	if err != nil {
		return nil, err
	}
	defer interpreter.Close()
	input, err := interpreter.Input(0)
	if err != nil {
		return nil, err
	}
	output, err := interpreter.Output(0)
	if err != nil {
		return nil, err
	}
	pixels, err := readPicture(picture, input.Len())
	if err != nil {
		return nil, err
	}
	if err := input.SetFloats(pixels); err != nil {
		return nil, err
	}
	if err := interpreter.Invoke(); err != nil {
		return nil, err
	}
	return output.Floats()
}

func main() {
	all := flag.Bool("scores", false, "print all scores instead of the best one")
	own := flag.Bool("softmax", false, "compute SOFTMAX in Go (float models only)")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: classify [-scores] [-softmax] MODEL.tflite PICTURE.pgm")
		os.Exit(2)
	}
	options := arenite.Options{}
	if *own {
		// Otherwise the CPU delegate would run SOFTMAX.
		options = arenite.Options{References: true, Ops: []arenite.Op{softmax}}
	}
	scores, err := classify(flag.Arg(0), flag.Arg(1), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	best := 0
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
		if *all {
			fmt.Printf("%d %.9g\n", i, score)
		}
	}
	if !*all {
		fmt.Printf("%d (%.1f %%)\n", best, 100*scores[best])
	}
}
