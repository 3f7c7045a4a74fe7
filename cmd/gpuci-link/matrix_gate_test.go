//go:build linux

package main_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A gate is a named pipe that a tool reads as one of its inputs: the tool stops
// there until the test opens it.

// reached waits until a tool has come to the gate.
func reached(t *testing.T, gate string) *os.File {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(gate, os.O_WRONLY|unix.O_NONBLOCK, 0)
		switch {
		case err == nil:
			return f
		case !errors.Is(err, unix.ENXIO): // nobody reads it yet
			t.Fatal(err)
		}
	}
	t.Fatalf("nobody came to %s", gate)
	return nil
}

// pass lets the tool at the gate go on with text as what it has read.
func pass(t *testing.T, gate *os.File, text string) {
	t.Helper()
	if _, err := gate.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
}
