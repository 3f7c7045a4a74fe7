package main

import (
	"strings"
	"testing"
)

// gpuci config says what a file asks for in vain, and prints the rest.
func TestConfigDropped(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", "links = 4\n")
	code, stdout, stderr := s.run(t, "config")
	if code != 0 || !strings.HasPrefix(stdout, "links = 1  # default\n") || !strings.HasPrefix(stderr, "gpuci: gpuci.toml:1: links = 4 is not taken: ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	s.write(t, "../home/machine.toml", "links = 4\n")
	if code, _, stderr := s.run(t, "config"); code != 0 || stderr != "" {
		t.Errorf("what it asks for is there: exit %d, %s", code, stderr)
	}
}

// Outside a workspace the file that is proposed has the tests of what is there.
func TestConfigProposal(t *testing.T) {
	s := newStage(t)
	s.write(t, "Cargo.toml", "")
	if code, _, stderr := s.run(t, "gate", "x"); code != 78 || !strings.Contains(stderr, `run = ["cargo", "test"]`) || strings.Contains(stderr, "gotest") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
