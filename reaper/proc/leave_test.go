package proc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A name longer than what the kernel keeps of it is not taken for another one
// that begins alike, whether it is a program or a script.
func TestLongNames(t *testing.T) {
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	script := []byte("#!/bin/bash\nwhile :; do sleep 600; done\n")
	const daemon, other = "build-cache-server", "build-cache-serial" // 15 bytes in common
	for kind, text := range map[string][]byte{"program": sleep, "script": script} {
		dir := t.TempDir()
		for name, want := range map[string]bool{daemon: true, other: false} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, text, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, "600")
			pid := settled(t, launch(t, cmd))
			until(t, pid, "has its name", func(s Stat) bool { return s.Comm == name[:maxComm] })
			s, err := Real.Stat(pid)
			if err != nil {
				t.Fatal(err)
			}
			if got := named(s, []string{daemon}); got != want {
				t.Errorf("%s %s: got %t", kind, name, got)
			}
			below, _ := Real.below([]Stat{s})
			endNow(t, s)
			for _, b := range below { // ours to collect once we are a subreaper
				endNow(t, b)
			}
		}
	}
}

// A script that is handed to an interpreter has the interpreter's name.
func TestScriptUnderAnInterpreter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(path, []byte("read x\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, err := Real.Stat(settled(t, launch(t, cmd)))
	if err != nil {
		t.Fatal(err)
	}
	if named(s, []string{"server.sh"}) || !named(s, []string{"bash"}) {
		t.Errorf("%+v", s)
	}
}

func TestMaxRSS(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "big")
		<-p.Done()
		p.End(Limits{}, nil)
		if got := p.Usage().MaxRSS; got < 256<<20 || got > 1<<30 {
			t.Errorf("%d bytes; it touched 256 MiB", got)
		}
		// What the kernel counts for a program of a megabyte is our own size.
		p = start(t, c, "exit7")
		<-p.Done()
		p.End(Limits{}, nil)
		if got := p.Usage().MaxRSS; got != 0 && got <= p.floor {
			t.Errorf("%d bytes, and ours are %d", got, p.floor)
		}
		c.Argv, c.Dir, c.Env = []string{"true"}, "/", os.Environ()
		q, err := Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		<-q.Done()
		q.End(Limits{}, nil)
		if got := q.Usage().MaxRSS; got != 0 {
			t.Errorf("%d bytes for true; that is our own size", got)
		}
	})
}

// Few machines of ours have a memory controller on v2, so the file is made up.
func TestLeafPeak(t *testing.T) {
	l := &leaf{dir: t.TempDir()}
	if got := l.peak(); got != 0 {
		t.Errorf("got %d without a controller", got)
	}
	for text, want := range map[string]int64{"123456789\n": 123456789, "max\n": 0, "-1": 0} {
		if err := os.WriteFile(filepath.Join(l.dir, "memory.peak"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := l.peak(); got != want {
			t.Errorf("%q: got %d", bytes.TrimSpace([]byte(text)), got)
		}
	}
}

// The kernel's sums can be had while the command runs.
func TestUsageOfARunningLeaf(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		if c.NoLeaf {
			t.Skip("only in a leaf")
		}
		p := start(t, c, "polite")
		if p.Usage().CPU <= 0 {
			t.Errorf("used so far: %+v", p.Usage())
		}
	})
}

// Members that make and remove cgroups of their own are seen all the same.
func TestVanishingCgroups(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		if c.NoLeaf {
			t.Skip("only in a leaf")
		}
		p := start(t, c, "polite")
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					dir := filepath.Join(p.leaf.dir, "a"+strconv.Itoa(i%3))
					_ = os.Mkdir(dir, 0o755)
					_ = os.Remove(dir)
				}
			}
		}()
		for range 500 {
			pids, err := p.leaf.procs()
			if err == nil && len(pids) != 1 {
				t.Fatalf("%v; want the command", pids)
			}
		}
		close(stop)
		<-done
	})
}
