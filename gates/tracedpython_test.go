package gates

import (
	"os"
	"path/filepath"
	"testing"
)

// The Python of a program is told by its name, or by the first line of a script.
func TestPythonOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"python3.12": "", "torchrun": "#!" + dir + "/python3.12\n", "tool": "#!/usr/bin/env python3.12\n", "other": "#!/bin/sh\n", "plain": "python",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env, python := []string{"PATH=" + dir}, filepath.Join(dir, "python3.12")
	for argv, want := range map[string]string{
		"python3.12": python, "torchrun": python, "tool": python, "other": "", "plain": "", "nonesuch": "", "./tool": python,
	} {
		if got := PythonOf([]string{argv, "x"}, dir, env); got != want {
			t.Errorf("%s: %q, want %q", argv, got, want)
		}
	}
}
