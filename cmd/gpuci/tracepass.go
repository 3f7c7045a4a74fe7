package main

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"gpuci/kernels/trace"
)

// passing hands on what a program writes, as it writes it, and shows each line to
// somebody. Where ours is a terminal the program has one too: it prints a line when it
// is whole then, and keeps its colours.
type passing struct {
	stdout, stderr *os.File // the program's ends
	stdin          *os.File // nil: ours
	streams        []*passed
	done           sync.WaitGroup
	resized        []chan os.Signal // of each terminal
}

// passed is one stream.
type passed struct {
	from  *os.File
	to    io.Writer
	lines trace.Cutter
	moved atomic.Int64 // reads that were handed on
	mid   atomic.Bool  // what was handed on ends in the midst of a line
	busy  atomic.Bool  // it is not waiting for the program
}

// pass opens the streams of a program that has not begun. Where ours are one, as on a
// terminal or behind 2>&1, the program's are too, and what it writes keeps its order.
func (a *app) pass(take func([]byte, trace.Came)) (*passing, error) {
	p := &passing{}
	out, errs := terminal(a.out), terminal(a.console.w)
	var err error
	if p.stdout, err = p.open(out, a.out, take); err != nil {
		return nil, err
	}
	if p.stderr = p.stdout; !sameFile(a.out, a.console.w) {
		if p.stderr, err = p.open(errs, a.console, take); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// passOut opens stdout alone, of which it is to be known whether its last line is whole.
func (a *app) passOut() (*passing, error) {
	p := &passing{}
	var err error
	if p.stdout, err = p.open(nil, a.out, func([]byte, trace.Came) {}); err != nil {
		return nil, err
	}
	if sameFile(a.out, a.console.w) {
		p.stderr = p.stdout
	}
	return p, nil
}

// midLine says whether the program's stdout ended in the midst of a line.
func (p *passing) midLine() bool { return len(p.streams) > 0 && p.streams[0].mid.Load() }

// open makes a terminal of the size of ours, or a pipe.
func (p *passing) open(ours *os.File, to io.Writer, take func([]byte, trace.Came)) (theirs *os.File, err error) {
	s := &passed{to: to, lines: trace.Cutter{Take: take}}
	if ours == nil {
		s.from, theirs, err = os.Pipe()
	} else if s.from, theirs, err = pty.Open(); err == nil {
		_, err = term.MakeRaw(int(theirs.Fd())) // ours translates
		p.follow(ours, s.from)
	}
	if s.from != nil {
		p.streams = append(p.streams, s)
	}
	return theirs, err
}

// follow keeps the size of a terminal that of ours.
func (p *passing) follow(ours, theirs *os.File) {
	_ = pty.InheritSize(ours, theirs) // the width only matters to progress bars
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	p.resized = append(p.resized, resized)
	go func() {
		for range resized {
			_ = pty.InheritSize(ours, theirs)
		}
	}()
}

// begin hands on, once the program has its ends.
func (p *passing) begin() {
	p.closeTheirs()
	for _, s := range p.streams {
		s.busy.Store(true)
		p.done.Go(s.run)
	}
}

func (s *passed) run() {
	buf, from := make([]byte, 64<<10), trace.Listen(s.from)
	defer from.Close()
	for {
		s.busy.Store(false)
		n, came, err := from.Read(buf)
		s.busy.Store(true)
		if n > 0 {
			_, werr := s.to.Write(buf[:n])
			s.mid.Store(buf[n-1] != '\n')
			s.lines.Add(buf[:n], came)
			s.moved.Add(1)
			if werr != nil { // the program is to hear of it, as without us
				_ = s.from.Close()
				break
			}
		}
		if err != nil { // a terminal ends with EIO
			break
		}
	}
	s.busy.Store(false)
	s.lines.End()
}

const (
	// quietFor is how long a stream has to be silent to have been read to its end.
	quietFor = 100 * time.Millisecond
	// passFor bounds the wait for one that something in the background goes on
	// writing to.
	passFor = 2 * time.Second
)

// end waits for the rest of the program's output, when it has ended. Where something of it
// runs on in the background, the streams need not end: then it is until they are silent.
func (p *passing) end(background bool) {
	over := make(chan struct{})
	go func() {
		p.done.Wait()
		close(over)
	}()
	if background {
		p.endSilent(over)
	} else {
		<-over
	}
	p.close()
}

func (p *passing) endSilent(over <-chan struct{}) {
	late := time.After(passFor)
	for last := int64(-1); ; {
		select {
		case <-over:
			return
		case <-late:
			return
		case <-time.After(quietFor):
		}
		moved, busy := int64(0), false
		for _, s := range p.streams {
			moved, busy = moved+s.moved.Load(), busy || s.busy.Load()
		}
		if moved == last && !busy {
			return
		}
		last = moved
	}
}

func (p *passing) closeTheirs() {
	for _, f := range []*os.File{p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close() // twice where both are one
		}
	}
}

// close gives up all that is open.
func (p *passing) close() {
	p.closeTheirs()
	for _, s := range p.streams {
		_ = s.from.Close() // its own pass may have done so
	}
	for _, c := range p.resized {
		signal.Stop(c)
		close(c)
	}
	p.resized = nil
}

// sameFile says whether two streams are one file, pipe or terminal.
func sameFile(a, b io.Writer) bool {
	one, isOne := a.(*os.File)
	other, isOther := b.(*os.File)
	if !isOne || !isOther {
		return false
	}
	oneInfo, err := one.Stat()
	otherInfo, oerr := other.Stat()
	return err == nil && oerr == nil && os.SameFile(oneInfo, otherInfo)
}
