package kda

import (
	"fmt"
	"strings"
)

// probeSource is added to every copy, so that one program can call them all
// though their types differ.
const probeSource = `package kda

import "math"

// expAgain is what the second exponential of a fault calls.
func expAgain(glast []float64) []float64 {
	var twice []float64
	for _, x := range glast {
		twice = append(twice, math.Exp(x))
	}
	return twice
}

// Probe runs forward and backward on each problem.
func Probe(decode func(any) error) ([]Leaves, error) {
	var problems []Problem
	if err := decode(&problems); err != nil {
		return nil, err
	}
	var grads []Leaves
	for i := range problems {
		f, err := ChunkForward(&problems[i])
		if err != nil {
			return nil, err
		}
		b, err := ChunkBackward(&problems[i], f)
		if err != nil {
			return nil, err
		}
		grads = append(grads, b.Grad)
	}
	return grads, nil
}
`

// mainSource reads problems from its input and writes the gradients of every
// copy. All copies' leaves have the same fields, which is all that gob sees;
// the first copy's type carries them.
const mainSource = `package main

import (
	"bytes"
	"encoding/gob"
	"io"
	"log"
	"os"

%s)

func main() {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	answers := map[string][]f0.Leaves{}
%s	if err := gob.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func decoder(input []byte) func(any) error {
	return gob.NewDecoder(bytes.NewReader(input)).Decode
}

func recode[T any](grads []T, err error) []f0.Leaves {
	if err != nil {
		log.Fatal(err)
	}
	var between bytes.Buffer
	if err := gob.NewEncoder(&between).Encode(grads); err != nil {
		log.Fatal(err)
	}
	var same []f0.Leaves
	if err := gob.NewDecoder(&between).Decode(&same); err != nil {
		log.Fatal(err)
	}
	return same
}
`

// pkg names the package of copy i.
func pkg(i int) string { return fmt.Sprintf("f%d", i) }

// program is the source of a main package that runs all copies.
func program(copies []fault) string {
	var imports, calls strings.Builder
	for i, f := range copies {
		fmt.Fprintf(&imports, "\t%s %q\n", pkg(i), "planted/"+pkg(i))
		fmt.Fprintf(&calls, "\tanswers[%q] = recode(%s.Probe(decoder(input)))\n", f.name, pkg(i))
	}
	return fmt.Sprintf(mainSource, imports.String(), calls.String())
}
