package ci

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// odd is a directory with all that unit files, crontabs and shells read otherwise.
func odd(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `a b%d"c'$HOME\e é;#`)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// nightIn is a schedule whose gpuci writes down where it was started, how, and with
// which variable.
func nightIn(t *testing.T, dir string) (s Schedule, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	program := filepath.Join(t.TempDir(), "a b%d$HOME é;#") // less what systemd takes no program from
	script := "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$0\" \"$*\" \"$X\" > " + log + "\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return Schedule{Workspace: dir, Gpuci: program, At: "02:05", Env: [][2]string{{"PATH", os.Getenv("PATH")}, {"X", `50% "off" $HOME \n`}}}, log
}

func mustHave(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", tool)
	}
	t.Skipf("needs %s", tool)
}

// Systemd's own check finds nothing wrong with the units, and finds what is.
func TestUnitsVerify(t *testing.T) {
	mustHave(t, "systemd-analyze")
	s, _ := nightIn(t, odd(t))
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	verify := func(s Schedule) string {
		dir := t.TempDir()
		paths, err := s.Install(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("systemd-analyze", append([]string{"verify", "--man=no"}, paths...)...)
		out, _ := cmd.CombinedOutput()
		var ours []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, s.UnitName()) || strings.Contains(line, dir) {
				ours = append(ours, line)
			}
		}
		return strings.Join(ours, "")
	}
	if said := verify(s); said != "" {
		t.Errorf("systemd says: %s\n%s", said, s.Service())
	}
	s.Gpuci += " not"
	if verify(s) == "" {
		t.Error("systemd says nothing of a program that is not there: it was not asked")
	}
}

// What cron hands to sh is what is meant.
func TestUnitsCron(t *testing.T) {
	mustHave(t, "sh")
	s, log := nightIn(t, odd(t))
	s.On = "slurm"
	line := s.Cron()
	command, ok := strings.CutPrefix(line, "5 2 * * * ")
	if !ok || strings.Count(line, "\n") != 1 {
		t.Fatalf("the line is %q", line)
	}
	for at := range len(command) { // crontab(5): a % that no backslash stands before ends the command
		if command[at] == '%' && command[at-1] != '\\' {
			t.Fatalf("a bare %% in %q", command)
		}
	}
	command = strings.ReplaceAll(command, `\%`, "%")
	command = strings.Replace(command, "nice -n 10 ionice -c 3 ", "", 1) // a container may forbid it
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{s.Workspace, s.Gpuci, "ci nightly --on slurm", s.Env[1][1]}, "\n") + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// The units say what they must, escaped as systemd reads it.
func TestUnitsText(t *testing.T) {
	s := Schedule{Workspace: "/srv/50% of a", Gpuci: `/opt/"g"/gpuci`, At: "23:30", User: "alice", Env: [][2]string{{"PATH", `/a b:/c\d`}}, Stop: 5 * DefaultStop}
	service := s.Service()
	for _, want := range []string{
		UnitsMark + "\n[Unit]\n", "\nWorkingDirectory=/srv/50%% of a\n", "\nExecStart=\"/opt/\\\"g\\\"/gpuci\" ci nightly\n",
		"\nEnvironment=\"PATH=/a b:/c\\\\d\"\n", "\nUser=alice\n", "\nPrivateTmp=no\n", "\nKillMode=mixed\n", "\nTimeoutStopSec=600s\n", "\nNice=10\n", "\nIOSchedulingClass=idle\n",
	} {
		if !strings.Contains(service, want) {
			t.Errorf("no %q in\n%s", want, service)
		}
	}
	for _, want := range []string{"\nOnCalendar=*-*-* 23:30:00\n", "\nPersistent=true\n", "\nWantedBy=timers.target\n"} {
		if timer := s.Timer(); !strings.Contains(timer, want) {
			t.Errorf("no %q in\n%s", want, timer)
		}
	}
}

// What no unit file can hold is refused, and not written somehow.
func TestUnitsCheck(t *testing.T) {
	good := Schedule{Workspace: "/srv/a", Gpuci: "/usr/bin/gpuci", At: "02:00"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Schedule){
		"newline":  func(s *Schedule) { s.Workspace = "/srv/a\nUser=root" },
		"no UTF-8": func(s *Schedule) { s.Gpuci = "/usr/\xff/gpuci" },
		"space":    func(s *Schedule) { s.Workspace = "/srv/a " },
		"backward": func(s *Schedule) { s.Workspace = `/srv/a\` },
		"relative": func(s *Schedule) { s.Gpuci = "gpuci" },
		"quotes":   func(s *Schedule) { s.Gpuci = `/usr/"bin"/gpuci` },
		"clock":    func(s *Schedule) { s.At = "25:00" },
		"short":    func(s *Schedule) { s.At = "2:00" },
		"executor": func(s *Schedule) { s.On = "slurm; reboot" },
		"variable": func(s *Schedule) { s.Env = [][2]string{{"PATH", "/a\n/b"}} },
	} {
		s := good
		change(&s)
		if s.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// Only what gpuci has written is written over.
func TestUnitsInstall(t *testing.T) {
	s := Schedule{Workspace: "/srv/a", Gpuci: "/usr/bin/gpuci", At: "02:00"}
	dir := filepath.Join(t.TempDir(), "deep", "user")
	paths, err := s.Install(dir, false)
	if err != nil || len(paths) != 2 {
		t.Fatalf("%q, %v", paths, err)
	}
	s.At = "03:00"
	if _, err := s.Install(dir, false); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(paths[1]); !strings.Contains(string(text), "03:00") {
		t.Errorf("the timer is %s", text)
	}
	var foreign *ForeignError
	for name, put := range map[string]func() error{
		"another's": func() error { return os.WriteFile(paths[1], []byte("[Timer]\n"), 0o644) },
		"masked":    func() error { return errors.Join(os.Remove(paths[1]), os.Symlink("/dev/null", paths[1])) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(paths[0])
		s.At = "04:00"
		if _, err := s.Install(dir, false); !errors.As(err, &foreign) || foreign.Path != paths[1] {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(paths[0]); string(after) != string(before) {
			t.Errorf("%s: one of the two was written", name)
		}
	}
	if _, err := s.Install(dir, true); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(paths[1]); err != nil || string(text) != s.Timer() {
		t.Errorf("forced: %s, %v", text, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left there: %v", left)
	}
}
