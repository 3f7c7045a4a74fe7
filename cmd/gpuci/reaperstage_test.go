package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock/links"
	"gpuci/reaper/proc"
)

// makeBuild is a make at work: three compilers at once, each with a linker that
// reads a script which nobody has written yet.
type makeBuild struct {
	*exec.Cmd
	t     *testing.T
	below []proc.Stat // all of its compilers and linkers
	said  *os.File    // not a pipe: what it leaves holds it open
}

// outputs are what it makes; the script of each is beside it.
func (b *makeBuild) outputs() []string { return []string{"x1", "x2", "x3"} }

const makefile = "all: x1 x2 x3\nx%: main.c\n\t@cc -o $@ main.c -Wl,--version-script=$@.map\n"

// makeIn starts one in a lane, and returns when all of its linkers wait.
func (s stage) makeIn(t *testing.T, dir string) *makeBuild {
	t.Helper()
	return s.makeBy(t, dir, makefile)
}

// makeBy is makeIn by another makefile.
func (s stage) makeBy(t *testing.T, dir, makefile string) *makeBuild {
	t.Helper()
	for _, tool := range []string{"make", "cc", "ld"} {
		if _, err := exec.LookPath(tool); err != nil {
			needsTool(t, tool)
		}
	}
	at := s
	at.dir = dir
	at.write(t, "Makefile", makefile)
	at.write(t, "main.c", "int main(void) { return 0; }\n")
	b := &makeBuild{Cmd: exec.Command("make", "-s", "-j3"), t: t}
	var err error
	if b.said, err = os.Create(filepath.Join(dir, "said")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.said.Close() })
	b.Stdout, b.Stderr = b.said, b.said
	b.Dir, b.Env, b.SysProcAttr = dir, append(s.env, "TMPDIR="+dir), &syscall.SysProcAttr{Setsid: true}
	for _, name := range b.outputs() {
		if err := unix.Mkfifo(filepath.Join(dir, name+".map"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.end)
	eventually(t, "three linkers", func() bool {
		table, err := proc.Real.Table()
		if err != nil {
			t.Fatal(err)
		}
		b.below = table.Below(b.Process.Pid)
		linkers := 0
		for _, p := range b.below {
			if _, ok := links.IsLinker(p); ok {
				linkers++
			}
		}
		return linkers == len(b.outputs())
	})
	return b
}

// orphan kills make alone, and returns when what it leaves is old enough.
func (b *makeBuild) orphan() {
	b.t.Helper()
	_ = b.Process.Kill()
	_ = b.Wait()
	for _, p := range b.below {
		eventually(b.t, "one of 2 s", func() bool { return proc.Real.Age(p) > 2*time.Second })
	}
	if n := b.alive(); n != len(b.below) || n < 2*len(b.outputs()) {
		b.t.Fatalf("%d of %d are there after make", n, len(b.below))
	}
}

// alive is how many of its compilers and linkers are.
func (b *makeBuild) alive() (n int) {
	for _, p := range b.below {
		if now, err := proc.Real.Stat(p.PID); err == nil && now.Start == p.Start && !now.Zombie() {
			n++
		}
	}
	return n
}

// let lets the linkers go, and returns make's error.
func (b *makeBuild) let() error {
	b.t.Helper()
	for _, name := range b.outputs() {
		var f *os.File
		eventually(b.t, "a reader of "+name, func() (ok bool) {
			var err error
			f, err = os.OpenFile(filepath.Join(b.Dir, name+".map"), os.O_WRONLY|unix.O_NONBLOCK, 0)
			return err == nil
		})
		if _, err := f.WriteString("{ global: *; };\n"); err != nil {
			b.t.Error(err)
		}
		_ = f.Close()
	}
	if err := b.Wait(); err != nil {
		text, _ := os.ReadFile(b.said.Name())
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// end ends what is left of it.
func (b *makeBuild) end() {
	_ = b.Process.Kill()
	_ = b.Wait()
	boot, err := proc.Real.BootID()
	if err != nil {
		b.t.Error(err)
	}
	for _, p := range b.below {
		_ = proc.Real.Signal(p.Identity(boot), unix.SIGKILL)
	}
}

// eventually waits for something that comes by itself.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(longest); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("there never was %s", what)
		}
	}
}
