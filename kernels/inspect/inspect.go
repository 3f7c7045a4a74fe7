package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"gpuci/kernels/cubin"
	"gpuci/kernels/entry"
	"gpuci/kernels/ptx"
)

// ErrNone is what an error of File wraps when there is no device code in a file
// that could have had some, or when the file is of another kind.
var ErrNone = errors.New("no device code in it")

// Options says how much is worked for an answer. The zero value is meant for use.
type Options struct {
	MaxBytes int64 // of device code in one file, unpacked; 0: 8 GiB, four times NCCL's
	Jobs     int   // modules read at once, each in as much memory as it has bytes; 0: one for each core
	Brief    bool  // without the hashes that kernels are compared by
}

const (
	defaultBytes = 8 << 30
	moduleBytes  = 1 << 30 // of one cubin or PTX text; the largest seen has 30 MiB
)

// File gives the modules of a file, in its order, named as it was named. A module
// that cannot be read has no kernels and says why. The error is about the file as a
// whole: it wraps ErrNone, or says where the file broke off; then the modules are
// those before that.
func File(ctx context.Context, path string, o Options) ([]entry.Module, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe has no writer to wait for
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("inspect %s: not a regular file; write what it gives to one first", path)
	}
	r := newReader(ctx, path, o)
	err = r.any(io.NewSectionReader(f, 0, info.Size()), "")
	r.working.Wait()
	if err == nil && len(r.modules) == 0 {
		err = ErrNone
	}
	modules := make([]entry.Module, len(r.modules))
	for i, m := range r.modules {
		modules[i] = *m
	}
	Join(modules)
	if err != nil {
		return modules, fmt.Errorf("inspect %s: %w", path, err)
	}
	return modules, nil
}

// reader goes through one file. Whatever is read from it is read in turn; unpacking
// and parsing are done beside that.
type reader struct {
	ctx     context.Context
	file    string
	left    int64           // bytes that may still be unpacked
	modules []*entry.Module // filled in by whoever works at them
	working sync.WaitGroup
	places  chan struct{} // one for each that works
	depth   int           // archives that what is being read lies in
	cubin   func([]byte) (entry.Module, error)
	ptx     func([]byte) (entry.Module, error)
	broken  int // places that looked like cubins and were none
}

func newReader(ctx context.Context, path string, o Options) *reader {
	r := &reader{ctx: ctx, file: path, left: o.MaxBytes, cubin: cubin.Parse, ptx: ptx.Parse}
	if o.Brief {
		r.cubin, r.ptx = cubin.Brief, ptx.Brief
	}
	if r.left == 0 {
		r.left = defaultBytes
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	r.places = make(chan struct{}, o.Jobs)
	return r
}

// any reads a file, or the member of an archive that part names.
func (r *reader) any(f *io.SectionReader, part string) error {
	head, err := beginning(f, 64) // enough for most, and not read twice
	if err == nil && !cubin.Is(head) {
		head, err = beginning(f, 64<<10) // PTX begins with comments
	}
	if err != nil {
		return err
	}
	switch {
	case cubin.Is(head), ptx.Is(head):
		data, err := r.all(f)
		if err != nil {
			return err
		}
		*r.slot() = r.module(data, part)
		return nil
	case isFatbin(head):
		return r.fatbins(f, part)
	case bytes.HasPrefix(head, []byte(magicELF)):
		return r.host(f, part)
	case bytes.HasPrefix(head, []byte(magicArchive)):
		return r.archive(f, part)
	case bytes.HasPrefix(head, []byte(magicThin)):
		return errors.New("a thin archive holds names and no objects: inspect those")
	case part != "":
		return nil // a member that is no object, such as the table of symbols
	}
	return fmt.Errorf("%w: neither a cubin, PTX, a fat binary, an ELF file nor an archive", ErrNone)
}

// beginning is at most size bytes of a file.
func beginning(f *io.SectionReader, size int64) ([]byte, error) {
	head := make([]byte, min(f.Size(), size))
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	return head, nil
}

// all reads a file to its end, within what is left.
func (r *reader) all(f *io.SectionReader) ([]byte, error) {
	if err := r.take(f.Size()); err != nil {
		return nil, err
	}
	data := make([]byte, f.Size())
	_, err := io.ReadFull(io.NewSectionReader(f, 0, f.Size()), data)
	return data, err
}

// take uses up so many bytes of what may be unpacked.
func (r *reader) take(size int64) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if size < 0 || size > moduleBytes {
		return fmt.Errorf("a module of %d bytes, of which at most %d are read", size, moduleBytes)
	}
	if size > r.left {
		return fmt.Errorf("more device code than the %d bytes that were still allowed", r.left)
	}
	r.left -= size
	return nil
}

// slot is where the next module goes.
func (r *reader) slot() *entry.Module {
	m := &entry.Module{}
	r.modules = append(r.modules, m)
	return m
}

// later fills a slot as soon as there is a place.
func (r *reader) later(slot *entry.Module, read func() entry.Module) {
	r.places <- struct{}{}
	r.working.Go(func() {
		defer func() { <-r.places }()
		*slot = read()
	})
}

// module reads a cubin or PTX.
func (r *reader) module(data []byte, part string) entry.Module {
	m, err := entry.Module{}, error(nil)
	if cubin.Is(data) {
		m, err = r.cubin(data)
	} else {
		m, err = r.ptx(data)
	}
	if err != nil {
		m.Unread = append(m.Unread, err.Error())
	}
	return r.named(m, part)
}

// named says where a module is from, and what its kernels' names mean.
func (r *reader) named(m entry.Module, part string) entry.Module {
	m.File, m.Part = r.file, part
	if m.Kernels == nil {
		m.Kernels = []entry.Kernel{}
	}
	for i := range m.Kernels {
		if name := Readable(m.Kernels[i].Name); name != m.Kernels[i].Name {
			m.Kernels[i].Readable = name
		}
	}
	return m
}

// within names a part of a part.
func within(part, of string) string { return strings.TrimPrefix(part+"/"+of, "/") }
