package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// What a process left that was killed while it wrote does not hide the others, or what it
// had written before.
func TestBrokenFiles(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "launch first 1 1", "launch last 1 1").process()
	dir := filepath.Dir(p.file)
	for name, text := range map[string]string{"1-2.events": "", "1-3.events": "gpuc", "1-4.events": strings.Repeat("\x00", headSize)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(p.file + ".names")
	if err != nil {
		t.Fatal(err)
	}
	for _, less := range []int{1, 6, 30} { // of the last line, that of the kernel `last`
		if err := os.WriteFile(p.file+".names", list[:len(list)-less], 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadDir(dir)
		if err != nil || len(r.Processes) != 1 {
			t.Fatalf("%v: %+v", err, r)
		}
		same(t, all(t, &r.Processes[0]), "launch first [1 1 1] [1 1 1] legacy", "launch  [0 0 0] [0 0 0] legacy")
	}
	if err := os.WriteFile(filepath.Join(dir, "1-5.events"), []byte(strings.Repeat("another ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ReadDir(dir)
	if err != nil || len(r.Processes) != 2 || r.Unbegun != 3 {
		t.Fatalf("another file: %+v, %v", r, err)
	}
}

func TestNoRecording(t *testing.T) {
	var none *NoRecording
	if _, err := ReadDir(t.TempDir()); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
	if _, err := ReadDir(filepath.Join(t.TempDir(), "gone")); err == nil || errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}

// A file that is cut off is read up to there.
func TestCutOff(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "launch k 1 1 legacy 500").process()
	whole, err := os.ReadFile(p.file + ".events")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{headSize, headSize + 31, headSize + 32, headSize + 32*100 + 5, headSize + 32*500} {
		if err := os.WriteFile(p.file+".events", whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := events(t, p); len(got) != (size-headSize)/eventSize {
			t.Errorf("%d bytes: %d events", size, len(got))
		}
	}
}

// No file makes the reader fail otherwise than by an error.
func FuzzRecording(f *testing.F) {
	head := make([]byte, headSize)
	copy(head, magic)
	head[9], head[12] = headSize>>8, eventSize
	head[64] = 70 // claimed
	event := make([]byte, eventSize)
	event[31], event[28], event[12] = byte(Launch), 1, 1
	f.Add(append(head, event...), "1\tK\t0x1\t1,1,1\t1,1,1\t0\tk\n2\tG\t0\t0\t1,2\n3\tC\tcuMemcpy\n")
	f.Add([]byte("gpuciTR1"), "1\tD\t1\t0\tGPU-\tcard\n4\tT\ta\tb\n")
	f.Fuzz(func(t *testing.T, events []byte, names string) {
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(dir+"/1-1.events", events, 0o600), os.WriteFile(dir+"/1-1.names", []byte(names), 0o600)); err != nil {
			t.Fatal(err)
		}
		r, err := ReadDir(dir)
		if err != nil {
			return
		}
		n, err := r.Processes[0].Names()
		if err != nil {
			return
		}
		most := len(events) / eventSize
		if err := r.Processes[0].Events(t.Context(), func(e Event) bool { says(e, n); most--; return most >= 0 }); err == nil && most < 0 {
			t.Error("there are more events than the file has room for")
		}
	})
}
