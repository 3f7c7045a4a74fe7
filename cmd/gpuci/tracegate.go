package main

import (
	"os"
	"path/filepath"
	"strings"

	"gpuci/kernels/trace"
)

// runWithout is a gate's run that a word means and that has no recording.
func (s traceStore) runWithout(word string) (id string, is bool) {
	entries, _ := os.ReadDir(s.runs) // there need not have been any
	for _, e := range entries {
		if word != "" && e.IsDir() && (strings.HasPrefix(e.Name(), word) || strings.HasSuffix(e.Name(), word)) {
			if is {
				return "", false
			}
			id, is = e.Name(), true
		}
	}
	return id, is
}

// ofRun is the recording of a gate's run that a word means: its id, or the beginning or
// the end of one, and behind that /trace-2 where it was run several times. It is found
// where only one run has it.
func (s traceStore) ofRun(word string) (found storedTrace, ok bool) {
	id, name, _ := strings.Cut(word, "/")
	if name == "" {
		name = "trace"
	}
	entries, _ := os.ReadDir(s.runs) // there need not have been any
	for _, e := range entries {
		if id == "" || !strings.HasPrefix(e.Name(), id) && !strings.HasSuffix(e.Name(), id) {
			continue
		}
		dir := filepath.Join(s.runs, e.Name(), name)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if ok && e.Name() != id {
			return storedTrace{}, false
		}
		meta, _ := trace.ReadMeta(dir)
		found, ok = storedTrace{ID: e.Name(), Dir: dir, Meta: meta}, true
	}
	return found, ok
}
