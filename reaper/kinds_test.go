package reaper

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// real is one real process, or tree, and what is to be said of it.
type real struct {
	name   string
	start  func(t *testing.T, s stage) int
	leaked bool
	why    string // in what is said
}

// The conditions of the rule, one by one, on real processes.
var reals = []real{
	{"orphan", func(t *testing.T, s stage) int { return orphan(t, s.lane.Root, s.tool(t, "ld.lld"), "100") }, true, "of lane kda by its cwd"},
	{"stopped", func(t *testing.T, s stage) int {
		pid := orphan(t, s.lane.Root, s.tool(t, "rustc"), "100")
		if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		return inState(t, pid, 'T')
	}, true, "orphaned"},
	{"versioned and for a target", func(t *testing.T, s stage) int {
		return orphan(t, s.lane.Root, s.tool(t, "x86_64-linux-gnu-gcc-12.2"), "100")
	}, true, "orphaned"},
	{"sibling with the same beginning", func(t *testing.T, s stage) int {
		dir := s.lane.Root + "2"
		mkdir(t, dir)
		return orphan(t, dir, s.tool(t, "ld"), "100")
	}, false, "whose it is is not known"},
	{"nested lane", func(t *testing.T, s stage) int {
		return orphan(t, mkdir(t, filepath.Join(s.lane.Root, "inner/src")), s.tool(t, "ld"), "100")
	}, false, "belongs to lane inner"},
	{"by a symbolic link", func(t *testing.T, s stage) int {
		link := filepath.Join(s.tools, "way")
		if err := os.Symlink(s.lane.Root, link); err != nil {
			t.Fatal(err)
		}
		return orphan(t, link, s.tool(t, "ld"), "100")
	}, true, "by its cwd"},
	{"build script under ~/.cargo", func(t *testing.T, s stage) int {
		file, err := os.Create(filepath.Join(s.lane.Target, "out.o"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		return orphanOf(t, &exec.Cmd{Dir: "/", Stdout: file}, s.tool(t, "ld"), "100")
	}, true, "by an open file"},
	{"program of the target directory", func(t *testing.T, s stage) int {
		return orphan(t, "/", sleeper(t, filepath.Join(s.lane.Target, "bin/mold")), "100")
	}, true, "by its exe"},
	{"argv[0] lies", func(t *testing.T, s stage) int {
		pid := orphan(t, s.lane.Root, lookPath(t, "bash"), "-c", `exec -a ld /bin/sleep 100`)
		return renamed(t, pid, "sleep")
	}, false, ""},
	{"a script named ld", func(t *testing.T, s stage) int {
		return orphan(t, s.lane.Root, script(t, s, "ld", "sleep 100; :"))
	}, false, ""},
	{"a wrapper with a tool below", func(t *testing.T, s stage) int {
		path := script(t, s, "cc", s.tool(t, "ld")+" 100; :")
		pid := orphan(t, s.lane.Root, path)
		childOf(t, pid, "ld")
		return pid
	}, true, "orphaned"},
	{"live driver that nobody knows", func(t *testing.T, s stage) int {
		driver := orphan(t, s.lane.Root, s.compiled(t, "spawner", "scons"), s.tool(t, "ld"), "100")
		return childOf(t, driver, "ld")
	}, false, "lives: a build"},
	{"after that driver was killed", func(t *testing.T, s stage) int {
		driver := orphan(t, s.lane.Root, s.compiled(t, "spawner", "scons"), s.tool(t, "ld"), "100")
		pid := childOf(t, driver, "ld")
		endLater(t, pid)
		kill(t, driver)
		return pid
	}, true, "orphaned"},
	{"under a subreaper", func(t *testing.T, s stage) int {
		adopter := orphan(t, s.lane.Root, s.compiled(t, "adopter", "systemd"), s.tool(t, "ld"), "100")
		pid := childOf(t, adopter, "ld")
		until(t, pid, "is handed to the subreaper", func(st proc.Stat) bool { return st.PPID == adopter })
		return pid
	}, true, "handed to systemd"},
	{"another user's", func(t *testing.T, s stage) int {
		if os.Geteuid() != 0 {
			needs(t, "root")
		}
		pid := orphanOf(t, &exec.Cmd{Dir: s.lane.Root}, lookPath(t, "setpriv"), "--reuid=65534", s.tool(t, "ld"), "100")
		return renamed(t, pid, "ld")
	}, false, "another user's"},
	{"another mount namespace", func(t *testing.T, s stage) int {
		if os.Geteuid() != 0 {
			needs(t, "root")
		}
		pid := orphanOf(t, &exec.Cmd{Dir: s.lane.Root}, lookPath(t, "unshare"), "-m", s.tool(t, "ld"), "100")
		return renamed(t, pid, "ld")
	}, false, "its mount namespace is another one"},
}

func TestRealProcesses(t *testing.T) {
	for _, r := range slices.Concat(reals, takers, cheats) {
		t.Run(r.name, func(t *testing.T) {
			s := newStage(t)
			o := s.options()
			o.Lanes = append(o.Lanes, Lane{Name: "inner", Root: filepath.Join(s.lane.Root, "inner")})
			pid := ripe(t, r.start(t, s))
			p, err := Look(soon(t), proc.Real, nil)
			if err != nil {
				t.Fatal(err)
			}
			j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
			if err != nil {
				t.Fatal(err)
			}
			said := find(j, pid)
			if said.Leaked != r.leaked || !strings.Contains(said.Why, r.why) || r.why == "" && said.PID != 0 {
				t.Errorf("leaked %t, why %q; want %t, %q", said.Leaked, said.Why, r.leaked, r.why)
			}
			report, err := Sweep(soon(t), o)
			if err != nil || len(report.Survivors) > 0 {
				t.Errorf("%s, %v", report, err)
			}
			if lives(t, pid) == r.leaked {
				t.Errorf("lives: %t; %s", lives(t, pid), report)
			}
		})
	}
}

// find is what was said of a process, nothing when it was not judged.
func find(j Judgement, pid int) Judged {
	for _, one := range j.Judged {
		if one.PID == pid {
			return one
		}
	}
	return Judged{}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		needs(t, name)
	}
	return path
}

// script is a shell script under the name of a tool.
func script(t *testing.T, s stage, name, text string) string {
	t.Helper()
	path := filepath.Join(mkdir(t, filepath.Join(s.tools, "scripts")), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// renamed waits until a process has executed what it goes by that name for.
func renamed(t *testing.T, pid int, comm string) int {
	t.Helper()
	until(t, pid, "is "+comm, func(s proc.Stat) bool { return s.Comm == comm })
	return pid
}

// kill ends a process that a test started, and waits for its end.
func kill(t *testing.T, pid int) {
	t.Helper()
	id, err := proc.Real.Identity(pid)
	if err == nil {
		err = proc.Real.Signal(id, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	for ctx := soon(t); lives(t, pid); {
		if ctx.Err() != nil {
			t.Fatalf("pid %d does not end", pid)
		}
	}
}
