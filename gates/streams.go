package gates

import (
	"os"
	"sync"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"gpuci/gates/reader"
)

// streams are the two ends of a command's stdout and stderr.
type streams struct {
	out, err           *os.File // our ends
	childOut, childErr *os.File
}

// pipeSize is what a pipe may hold: Linux lets any user have 1 MiB
// (/proc/sys/fs/pipe-max-size), and a child that prints a lot waits less.
const pipeSize = 1 << 20

// openStreams makes stdout a pipe, always: what is judged must not depend on
// who is watching. stderr is a terminal when ours is one, so that compilers
// and cargo keep their colours; the terminal does not translate anything.
func openStreams(terminal *os.File) (s *streams, err error) {
	s = &streams{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.out, s.childOut, err = pipe(); err != nil {
		return nil, err
	}
	if terminal == nil {
		s.err, s.childErr, err = pipe()
		return s, err
	}
	if s.err, s.childErr, err = pty.Open(); err != nil {
		return nil, err
	}
	if _, err = term.MakeRaw(int(s.childErr.Fd())); err != nil {
		return nil, err
	}
	_ = pty.InheritSize(terminal, s.childErr) // width only matters to progress bars
	return s, nil
}

func pipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	// Not r.Fd(): that makes the file blocking, and Close would no longer
	// end a read that an escapee keeps waiting.
	raw, err := r.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) // a smaller pipe only means more waiting
		})
	}
	return r, w, err
}

// pump copies both streams into out; the channel is closed at their end.
func (s *streams) pump(out *output) <-chan struct{} {
	done := make(chan struct{})
	var wg sync.WaitGroup
	out.pumps.Add(2)
	wg.Go(func() { out.pump(s.out, reader.Stdout) })
	wg.Go(func() { out.pump(s.err, reader.Stderr) })
	go func() { wg.Wait(); close(done) }()
	return done
}

func (s *streams) closeChild() {
	for _, f := range []*os.File{s.childOut, s.childErr} {
		if f != nil {
			_ = f.Close()
		}
	}
	s.childOut, s.childErr = nil, nil
}

func (s *streams) close() {
	s.closeChild()
	for _, f := range []*os.File{s.out, s.err} {
		if f != nil {
			_ = f.Close()
		}
	}
}
