package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gpuci/kernels/trace"
)

// pairFile is a file that both runs are to write.
type pairFile struct {
	name   string // the user's
	a, b   string // where each run writes it
	aside  string // where the first one's is held, where both write the same
	before written
	middle written
	err    error // of holding it
}

// written tells whether somebody wrote a file meanwhile.
type written struct{ info fs.FileInfo }

func writtenNow(path string) (w written) {
	w.info, _ = os.Stat(path) // nil: it is not there
	return w
}

func (w written) same(o written) bool {
	if w.info == nil || o.info == nil {
		return w.info == nil && o.info == nil
	}
	return os.SameFile(w.info, o.info) && w.info.Size() == o.info.Size() && w.info.ModTime().Equal(o.info.ModTime())
}

func newPairFile(s traceStore, name, aside string) *pairFile {
	f := &pairFile{name: name, aside: aside}
	f.a = s.path(strings.ReplaceAll(name, placeOfRun, withGraphs))
	f.b = s.path(strings.ReplaceAll(name, placeOfRun, eager))
	f.before = writtenNow(f.a)
	return f
}

// between looks at it when the first run is over. What both write is copied aside: a link
// would follow a program that writes into the file that is there.
func (f *pairFile) between() {
	switch now := writtenNow(f.a); {
	case now.info == nil:
		f.err = errors.New("the run with graphs did not write it")
	case now.same(f.before):
		f.err = errors.New("it was there before, and the run with graphs did not write it")
	case f.a == f.b:
		f.err = copyAside(f.a, f.aside)
	}
	f.middle = writtenNow(f.b)
}

func copyAside(from, to string) error {
	if info, err := os.Stat(from); err != nil || !info.Mode().IsRegular() { // to open a FIFO waits
		return cmp.Or(err, fmt.Errorf("%s is no regular file", from))
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// compared holds the two against each other.
func (f *pairFile) compared() trace.FileAB {
	now, a := writtenNow(f.b), f.aside
	if f.a != f.b {
		a = f.a
	}
	switch {
	case f.err != nil:
		return trace.NotCompared(f.name, f.err.Error())
	case now.info == nil:
		return trace.NotCompared(f.name, "the run without graphs did not write it")
	case now.same(f.middle):
		return trace.NotCompared(f.name, "the run without graphs did not write it: what is there is older")
	}
	return trace.CompareFiles(f.name, a, f.b)
}
