package main

import (
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// console is stderr: the child's output as it comes, and gpuci's own lines,
// which begin with "gpuci: " and never in the middle of a child's line.
type console struct {
	mu    sync.Mutex
	w     io.Writer
	dead  bool // nobody reads any more
	mid   bool // the last byte was no newline
	tty   *os.File
	color bool
}

func newConsole(w io.Writer) *console {
	c := &console{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		c.tty = f
	}
	return c
}

// chooseColor follows --color, then NO_COLOR and TERM, then whether stderr is
// a terminal.
func (c *console) chooseColor(flag string) {
	_, no := os.LookupEnv("NO_COLOR")
	c.color = flag == "always" || flag == "auto" && c.tty != nil && !no && os.Getenv("TERM") != "dumb"
	if !c.color {
		c.tty = nil // a child on a pipe prints no colour
	}
}

// Write takes the child's output. It fails once stderr is closed.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(p)
}

func (c *console) write(p []byte) (int, error) {
	if c.dead || len(p) == 0 {
		return len(p), nil
	}
	n, err := c.w.Write(p)
	c.dead = err != nil
	c.mid = p[len(p)-1] != '\n'
	return n, err
}

// note prints one of gpuci's own lines; a text of several lines gets the
// prefix on each.
func (c *console) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freshLine()
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		_, _ = c.write([]byte("gpuci: " + line + "\n"))
	}
}

// raw prints text that stands for itself, such as a source line with a caret.
func (c *console) raw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freshLine()
	_, _ = c.write([]byte(strings.TrimRight(text, "\n") + "\n"))
}

// fresh ends a line that the child left open.
func (c *console) fresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freshLine()
}

func (c *console) freshLine() {
	if c.mid {
		_, _ = c.write([]byte{'\n'})
	}
}
