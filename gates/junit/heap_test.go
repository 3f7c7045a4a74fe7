package junit

import (
	"io"
	"runtime"
)

// readerFunc reads a source and looks at something meanwhile.
type readerFunc func(p []byte, src io.Reader) (int, error)

type watched struct {
	look  readerFunc
	src   io.Reader
	reads int
}

func (f readerFunc) of(src io.Reader) io.Reader { return &watched{look: f, src: src} }

// Read looks at every hundredth piece: a collection takes a while.
func (w *watched) Read(p []byte) (int, error) {
	if w.reads++; w.reads%100 != 0 {
		return w.src.Read(p)
	}
	return w.look(p, w.src)
}

// heap is what is alive, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
