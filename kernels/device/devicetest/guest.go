package devicetest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Guest is a living process of a test that has the device file open and is on a card.
type Guest struct {
	PID int

	t    testing.TB
	cmd  *exec.Cmd
	in   io.Closer
	once sync.Once
}

// Guest starts one with so many bytes; it ends with End or the test.
func (b *Box) Guest(card int, bytes int64) *Guest {
	b.t.Helper()
	g := b.Opener(card)
	b.Write(fmt.Sprintf("process %d compute %d %d", card, g.PID, bytes))
	return g
}

// Opener starts a process that has the device file open, and is not listed.
func (b *Box) Opener(card int) *Guest {
	b.t.Helper()
	f, err := os.Open(fmt.Sprintf("%s/dev/nvidia%d", b.Root(), card))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	g := b.process(f)
	return g
}

// Bystander starts a process that has no device file open, and is not listed.
func (b *Box) Bystander() *Guest {
	b.t.Helper()
	return b.process()
}

func (b *Box) process(files ...*os.File) *Guest {
	b.t.Helper()
	cmd := exec.Command("cat")
	cmd.ExtraFiles = files
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil { // it returns when the program runs, with its files
		b.t.Fatal(err)
	}
	g := &Guest{PID: cmd.Process.Pid, t: b.t, cmd: cmd, in: in}
	b.t.Cleanup(g.End)
	return g
}

// End ends it, and waits until it is gone.
func (g *Guest) End() {
	g.once.Do(func() {
		_ = g.in.Close()
		if err := g.cmd.Wait(); err != nil {
			g.t.Errorf("a guest ended badly: %v", err)
		}
	})
}
