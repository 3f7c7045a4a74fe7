package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuci/kernels/trace"
)

// run1 is what was written down of the recording "rec".
func (s stage) run1(t *testing.T) trace.Meta {
	t.Helper()
	m, err := trace.ReadMeta(filepath.Join(s.dir, "rec"))
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return *m
}

// storeOf has so many recordings, of lanes a and b in turn, the last one the newest.
func storeOf(t *testing.T, n int) (s traceStore, ids []string) {
	t.Helper()
	s = traceStore{dir: t.TempDir()}
	s.place.dir, s.lane.Name = t.TempDir(), "a"
	for i := range n {
		id := fmt.Sprintf("20261201T0000%02dZ-%08x", i/2, (i^1)*0x01010101) // two of each second, the later one with the lower number
		dir := filepath.Join(s.dir, id)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := (trace.Meta{Lane: string(rune('a' + i%2)), Began: time.Unix(int64(i), 0)}).Write(dir); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return s, ids
}

// The newest are kept, and the one that is being made with them.
func TestTracePrune(t *testing.T) {
	s, ids := storeOf(t, keptTraces+3)
	making := openTrace{dir: filepath.Join(s.dir, ids[0])}
	if err := making.hold(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, ids[1], traceLock), nil, 0o644); err != nil { // its gpuci was killed
		t.Fatal(err)
	}
	if err := s.prune(); err != nil {
		t.Fatal(err)
	}
	list, err := s.list()
	if err != nil || len(list) != keptTraces+1 || list[0].ID != ids[len(ids)-1] || list[keptTraces].ID != ids[0] {
		t.Fatalf("%v: %d are left, %v", err, len(list), list)
	}
	making.close(false)
	if err := s.prune(); err != nil {
		t.Fatal(err)
	}
	if list, _ = s.list(); len(list) != keptTraces {
		t.Errorf("%d are left", len(list))
	}
}

// A recording is named by its directory, its id or a part of one; without a name it is the
// newest of the lane.
func TestTraceFind(t *testing.T) {
	s, ids := storeOf(t, 4)
	named := filepath.Join(s.place.dir, "eager")
	if err := os.Mkdir(named, 0o755); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"": filepath.Join(s.dir, ids[2]), ids[1]: filepath.Join(s.dir, ids[1]), "02020202": filepath.Join(s.dir, ids[3]),
		ids[0][:20]: filepath.Join(s.dir, ids[0]), "eager": named, named: named,
	} {
		got, err := s.find(word)
		if err != nil || got.Dir != want {
			t.Errorf("%q: %s, %v, want %s", word, got.Dir, err, want)
		}
	}
	for word, want := range map[string]int{"nonesuch": 4, "2026": 64, "./eagre": 4} {
		_, err := s.find(word)
		var c coded
		if !errors.As(err, &c) || c.code != want || c.hint == "" {
			t.Errorf("%q: %v", word, err)
		}
	}
	s.lane.Name = "c"
	if _, err := s.find(""); exitCode(err, true) != 4 {
		t.Errorf("of a lane without: %v", err)
	}
}
