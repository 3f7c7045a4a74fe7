package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// slowLink makes a FIFO that a linker reads its script from: it links for as
// long as nobody writes one. let lets it go; it fails then.
func (s stage) slowLink(t *testing.T) (ld, script string, let func()) {
	t.Helper()
	ld, err := exec.LookPath("ld")
	if err != nil {
		needsTool(t, "ld")
	}
	script = filepath.Join(s.dir, "script")
	s.write(t, "x.o", "") // a compiler wants something to link
	if err := unix.Mkfifo(script, 0o600); err != nil {
		t.Fatal(err)
	}
	return ld, script, func() {
		// Opening to write succeeds once the linker has opened it to read.
		for late := time.Now().Add(longest); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
			if f, err := os.OpenFile(script, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
				_ = f.Close()
				return
			}
		}
	}
}

// begin starts a command that ends with its test. While one runs, proc collects
// every dead child that left the program's session, for it takes those for
// orphans of the command: another test's child on a terminal, too. So no test
// runs beside one that calls begin; Setenv panics in a parallel one.
func begin(t *testing.T, cmd proc.Command) *proc.Process {
	t.Helper()
	t.Setenv("GPUCI_TEST_ALONE", "1")
	p, err := proc.Start(context.Background(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(proc.Limits{}, nil) })
	return p
}

// linking starts a command of which a slow link comes, and returns when that
// one is there.
func linking(t *testing.T, s stage, script string, env []string, argv ...string) *proc.Process {
	t.Helper()
	p := begin(t, proc.Command{Argv: argv, Dir: s.dir, Env: env})
	for late := time.Now().Add(longest); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		members, _ := p.Members()
		for _, m := range members {
			if args, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(m.PID), "cmdline")); err == nil && strings.HasSuffix(string(args), script+"\x00") {
				if _, ok := links.IsLinker(m); ok {
					return p
				}
			}
		}
	}
	t.Fatal("there is no linker")
	return nil
}

// How a linker came past the shims is seen in its environment and in how it was
// called; one that holds a ticket is not spoken of.
func TestLinkersPast(t *testing.T) {
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		needsTool(t, "gcc")
	}
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	shims := d.Environ(s.env, shim.Values{LockDir: s.locks, Build: "ours"})
	before, _ := shim.Lookup(shims, "PATH")
	link := []string{ld, "-T", script}
	own := []string{"-B" + filepath.Dir(ld) + "/", "-nostdlib", "x.o", "-T", script}
	bare, tool := filepath.Base(gcc), toolName(t, ld)
	for name, c := range map[string]struct {
		env  []string
		argv []string
		want []links.Past
	}{
		"by its path":          {shims, link, []links.Past{{Tool: tool, Path: ld, Reason: links.Absolute}}},
		"compiler by its path": {shims, append([]string{gcc}, own...), []links.Past{{Tool: tool, Path: ld, Caller: gcc, Reason: links.Absolute}}},
		"another one first":    {shims, append([]string{"env", "PATH=" + filepath.Dir(gcc) + ":" + before, bare}, own...), []links.Past{{Tool: tool, Path: ld, Caller: bare, Reason: links.Shadowed}}},
		"without shims":        {s.env, []string{"ld", "-T", script}, []links.Past{{Tool: tool, Path: real(t, ld), Reason: links.Unreached}}},
		"PATH anew":            {shims, append([]string{"env", "-u", "COMPILER_PATH", "PATH=/usr/bin:/bin"}, link...), []links.Past{{Tool: tool, Path: ld, Reason: links.Unreached}}},
		"env -i":               {shims, append([]string{"env", "-i"}, link...), []links.Past{{Tool: tool, Path: ld, Reason: links.Emptied}}},
		"through the shims":    {shims, []string{"ld", "-T", script}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := linking(t, s, script, c.env, c.argv...)
			sum := lookThrice(s, p)
			for end := time.Now().Add(longest); untold(sum) && time.Now().Before(end); sum = lookThrice(s, p) {
			}
			var got []links.Past
			for _, p := range sum.Past {
				got = append(got, p.Past)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || sum.Hidden != 0 {
				t.Errorf("seen past the shims (-want +got): %s", diff)
			}
			for _, p := range c.want {
				want := "no link came to the shims, at least 1 without a ticket: 1 by " + p.String() + " (" + p.WouldCatch(true) + ")"
				if text := sum.String(); text != want {
					t.Errorf("the end says %q, want %q", text, want)
				}
			}
		})
	}
}

// untold says that a linker was not asked for long enough: on a busy machine one
// may not answer within the moment that it is given, and the next look is another.
func untold(sum links.Sum) bool {
	return slices.ContainsFunc(sum.Past, func(p links.Seen) bool { return p.Reason == links.Unseen })
}

// Go's own linker is one, though it is called link.
func TestLinkersGo(t *testing.T) {
	s := newStage(t)
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		needsTool(t, "sleep")
	}
	tool := filepath.Join(s.dir, "pkg", "tool", "linux_amd64", "link")
	if err := os.MkdirAll(filepath.Dir(tool), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tool, data, 0o755); err != nil {
		t.Fatal(err)
	}
	p := begin(t, proc.Command{Argv: []string{tool, "600"}, Dir: s.dir, Env: s.env})
	sum := lookThrice(s, p)
	if len(sum.Past) != 1 || sum.Past[0].Reason != links.GoTool || sum.Past[0].Path != tool || !strings.Contains(sum.String(), "-toolexec") {
		t.Errorf("%+v", sum.Past)
	}
}

// lookThrice watches a build for three looks: what is counted once is not
// counted again.
func lookThrice(s stage, p *proc.Process) links.Sum {
	ctx, cancel := context.WithCancel(context.Background())
	w := &links.Watch{LockDir: s.locks, Build: "ours"}
	looks := 0
	w.Run(ctx, func() ([]proc.Stat, error) {
		if looks++; looks > 3 {
			cancel()
		}
		return p.Members()
	})
	return w.Sum(nil)
}

// A shim that waits for its turn is called like a linker and is none.
func TestLinkersWaitingShim(t *testing.T) {
	s := newStage(t)
	s.slowLink(t)
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	s.hold(t, buildlock.Who{})
	env := d.Environ(s.env, shim.Values{LockDir: s.locks, Build: "ours"})
	p := begin(t, proc.Command{Argv: []string{"ld", "x.o"}, Dir: s.dir, Env: env})
	for late := time.Now().Add(longest); ; time.Sleep(5 * time.Millisecond) {
		list, err := buildlock.Tickets(context.Background(), s.locks, buildlock.Link)
		if err != nil || time.Now().After(late) {
			t.Fatalf("the shim does not wait: %v", err)
		}
		if len(list) == 2 {
			break
		}
	}
	members, err := p.Members()
	if err != nil || len(members) != 1 {
		t.Fatalf("members: %+v, %v", members, err)
	}
	if found := links.Unticketed(context.Background(), members, filepath.Join(s.dir, "elsewhere")); len(found) != 0 {
		t.Errorf("the shim is taken for a linker: %+v", found)
	}
}

// The whole machine's linkers are in the status, each with its lane.
func TestLockStatusLinkers(t *testing.T) {
	s := newStage(t)
	ld, script, let := s.slowLink(t)
	if _, err := exec.LookPath("git"); err != nil {
		needsTool(t, "git")
	}
	for _, args := range [][]string{{"init", "-q", "-b", "trunk"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.dir, append(s.env, "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	linking(t, s, script, s.env, ld, "-T", script)
	defer let()
	_, stdout, stderr := s.run(t, "lock", "status")
	past := links.Past{Reason: links.Unreached}
	if want := "in lane main: " + past.WouldCatch(false); !strings.Contains(stdout, want) {
		t.Errorf("no %q in %s%s", want, stdout, stderr)
	}
	_, stdout, _ = s.run(t, "lock", "status", "--json")
	if !strings.Contains(stdout, `"ticket":"none","lane":"main","dir":"`+s.dir+`","reason":"no shims","remedy":"`) {
		t.Errorf("%s", stdout)
	}
}

// linkProgram is the gpuci-link beside the gpuci under test.
func (s stage) linkProgram(t *testing.T) string {
	t.Helper()
	return filepath.Join(filepath.Dir(s.command(t).Path), linkProgram)
}

// toolName is the name of the program behind a path.
func toolName(t *testing.T, path string) string {
	t.Helper()
	return filepath.Base(real(t, path))
}

func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
