package main

import (
	"errors"

	"gpuci/gates/config"
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
	n, err := config.ParseSize(text)
	if err != nil {
		return errors.New("write a size such as 8GiB or 512MiB") // the value stands before it already
	}
	s.bytes, s.given = n, true
	return nil
}
