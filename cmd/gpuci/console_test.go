package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestLiveLine: the line that stands below all else is taken away before anything is
// printed, comes back after it, is no longer than the terminal is wide, and is gone at the
// end. Elsewhere than on a terminal there is none.
func TestLiveLine(t *testing.T) {
	for _, tty := range []bool{true, false} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		c := newConsole(w)
		if tty {
			c.tty = w // its width cannot be asked: 80
		}
		c.live("3 running")
		c.note("one is green")
		c.live(strings.Repeat("x", 200))
		_, _ = c.Write([]byte("of a child"))
		c.note("another")
		c.live("")
		if err := c.settle(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("x", 79)
		want := "3 running" + clearLine + "gpuci: one is green\n3 running" + clearLine + long + clearLine + "of a child\ngpuci: another\n" + long + clearLine
		if !tty {
			want = "gpuci: one is green\nof a child\ngpuci: another\n"
		}
		if string(got) != want {
			t.Errorf("a terminal: %v\ngot  %q\nwant %q", tty, got, want)
		}
	}
}
