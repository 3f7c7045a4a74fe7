package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// console is stderr: the child's output as it comes, and gpuci's own lines,
// which begin with "gpuci: " and never in the middle of a child's line.
//
// Whoever reads stderr can stop reading (Ctrl-S, a pager, a full pipe). That
// holds back the child's output, and must not hold back gpuci: one goroutine
// does all the writing, and only the child's output waits for it.
type console struct {
	w   io.Writer
	tty *os.File // stderr, where it is a terminal that shows colour
	ops chan op
}

// op is one thing to write.
type op struct {
	data  []byte
	fresh bool         // begin on a line of its own
	live  *string      // stands in the last line from now on, below all else; nil leaves what does
	done  chan<- error // nil: nobody waits
}

const (
	// queued notes are more than several hundred gates say while stderr is held.
	queued = 4096
	// patience is how long the end of gpuci waits for a stderr that is held.
	patience = time.Second
)

// errHeld says that stderr does not take what was to be written.
var errHeld = errors.New("stderr is not being read")

func newConsole(w io.Writer) *console {
	c := &console{w: w, ops: make(chan op, queued), tty: terminal(w)}
	go c.run()
	return c
}

// terminal returns what is written to, if it is one.
func terminal(w io.Writer) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// colored says whether colour goes to a stream: by --color, then by NO_COLOR
// and TERM, then by whether it is a terminal.
func colored(flag string, tty *os.File) bool {
	if flag != "auto" {
		return flag == "always"
	}
	_, no := os.LookupEnv("NO_COLOR")
	return tty != nil && !no && os.Getenv("TERM") != "dumb"
}

// chooseColor gives the child no terminal where no colour is wanted: on a pipe
// it prints none.
func (c *console) chooseColor(flag string) {
	if !colored(flag, c.tty) {
		c.tty = nil
	}
}

// run writes. Once stderr fails (closed by its reader), all that comes later
// is dropped.
func (c *console) run() {
	var failed error
	mid := false // the last byte was no newline
	live, shown := "", false
	put := func(data []byte) {
		if failed == nil && len(data) > 0 {
			_, failed = c.w.Write(data)
			mid = data[len(data)-1] != '\n'
		}
	}
	for o := range c.ops {
		if shown && (len(o.data) > 0 || o.live != nil) {
			put([]byte(clearLine))
			mid, shown = false, false
		}
		if o.fresh && mid {
			put([]byte{'\n'})
		}
		put(o.data)
		if o.live != nil {
			live = *o.live
		}
		if live != "" && !mid && !shown {
			put([]byte(live))
			mid, shown = false, true
		}
		if o.done != nil {
			o.done <- failed
		}
	}
}

// Write takes the child's output, and waits until it is written. It fails
// once stderr is closed.
func (c *console) Write(p []byte) (int, error) {
	done := make(chan error, 1)
	c.ops <- op{data: p, done: done}
	if err := <-done; err != nil {
		return 0, err
	}
	return len(p), nil
}

// note prints one of gpuci's own lines; a text of several lines gets the
// prefix on each. It does not wait, and is lost when too much waits already.
func (c *console) note(text string) {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString("gpuci: " + printable(line) + "\n")
	}
	c.raw(b.String())
}

// clearLine goes back to the beginning of a terminal's line, and empties it.
const clearLine = "\r\x1b[K"

// live keeps a line below all else that is printed, on a terminal; "" takes it away. It is
// cut to the terminal's width: of a longer one only the last part could be taken back.
func (c *console) live(text string) {
	if c.tty == nil {
		return
	}
	width, _, err := term.GetSize(int(c.tty.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	text = printable(text)
	if line := []rune(text); len(line) >= width {
		text = string(line[:width-1])
	}
	select {
	case c.ops <- op{live: &text}:
	default:
	}
}

// raw prints text that stands for itself, such as a source line with a caret.
func (c *console) raw(text string) {
	select {
	case c.ops <- op{data: []byte(strings.TrimRight(text, "\n") + "\n"), fresh: true}:
	default:
	}
}

// settle waits, a little, until all is written and the child's last line has
// its end, so that what is printed to stdout next comes after it.
func (c *console) settle() error {
	done := make(chan error, 1)
	give := time.After(patience)
	select {
	case c.ops <- op{fresh: true, done: done}:
	case <-give:
		return errHeld
	}
	select {
	case err := <-done:
		return err
	case <-give:
		return errHeld
	}
}
