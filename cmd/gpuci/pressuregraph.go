package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"gpuci/pressure"
)

// liveWatch draws the last steps in place. It sets no mode of the terminal: one
// that is left by a kill is as sane as it was.
type liveWatch struct {
	out   *os.File
	began time.Time
	strips
	drawn int // lines that stand there
}

// maxSteps is how many steps a graph shows: about a minute of a stall.
const maxSteps = 60

func (w *liveWatch) show(e sight) error {
	w.add(e)
	columns, _, err := term.GetSize(int(w.out.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	var b strings.Builder
	if w.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", w.drawn)
	}
	lines := w.lines(columns)
	for len(lines) < w.drawn { // what stood there is wiped
		lines = append(lines, "")
	}
	for _, line := range lines {
		b.WriteString("\r\x1b[K" + line + "\n")
	}
	w.drawn = len(lines)
	_, err = io.WriteString(w.out, b.String()) // in one piece: others write there too
	return err
}

// end leaves what is drawn where it is, and says what there was to see, whole.
func (w *liveWatch) end() {
	_, _ = fmt.Fprintln(w.out, strings.Join(append(w.notes, w.sum(time.Since(w.began))), "\n"))
}

// block is a share as a character.
func block(s pressure.Share) rune {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if !s.Known {
		return '?'
	}
	return blocks[min(len(blocks)-1, int(s.Value*float64(len(blocks))))]
}

// roughly is a share in whole percent, "?" where it is not known.
func roughly(s pressure.Share) string {
	if !s.Known {
		return "?"
	}
	return fmt.Sprintf("%.0f%%", s.Percent())
}

// clipTo cuts a line that would run over the edge: it would be two.
func clipTo(line string, columns int) string {
	r := []rune(line)
	return string(r[:min(len(r), max(1, columns-1))])
}
