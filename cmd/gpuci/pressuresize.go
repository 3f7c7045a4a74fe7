package main

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"gpuci/pressure"
)

// sizeFlag is an amount of memory, written as in gpuci.toml.
type sizeFlag struct {
	bytes int64
	given bool
}

// String is the value as a help text has it.
func (s *sizeFlag) String() string {
	if !s.given {
		return ""
	}
	return pressure.Bytes(s.bytes)
}

// Type is what a help text calls the value.
func (s *sizeFlag) Type() string { return "size" }

// Set reads the value of the flag.
func (s *sizeFlag) Set(text string) error {
	wrong := errors.New("write a size such as 8GiB or 512MiB")
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(number, 64)
		if v *= math.Pow(1024, float64(i+1)); err != nil || !(v >= 0 && v < math.MaxInt64) {
			return wrong
		}
		s.bytes, s.given = int64(v), true
		return nil
	}
	return wrong
}
