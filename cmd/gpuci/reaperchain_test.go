package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Field case 8 without evidence: a chain, each of which forks the next one in a
// session of its own and ends. A sweep that can end none of it says so, and what
// to do, and a gate is marked. In a pid namespace, so that nothing outlives the
// test.
func TestReaperChain(t *testing.T) {
	s := newStage(t)
	_, kda := s.lanes(t)
	s.dir = kda
	inside := s.beside(t, kda, `exec setsid "$ld" chain`)
	code, stdout, stderr := inside("reaper", "sweep")
	if code != 75 || !strings.HasPrefix(stdout, "goes on, nothing was sent: ld.mold of lane kda: ") || !strings.Contains(stdout, " in session ") || strings.Contains(stdout, "let be: ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	for _, text := range []string{"gpuci: 1 program is orphaned anew all the time, and nothing was sent\n", "gpuci: hint: find what starts ld.mold and end that: ps -"} {
		if !strings.Contains(stderr, text) {
			t.Errorf("no %q in %s", text, stderr)
		}
	}
	code, stdout, _ = inside("reaper", "sweep", "--json")
	lines, report := reaperLines(t, stdout, "chain"), reaperLines(t, stdout, "report")
	if code != 75 || len(lines) != 1 || lines[0].Tool != "ld.mold" || lines[0].Lane != "kda" || len(report) != 1 || report[0].Exit != 75 || report[0].Swept+report[0].Survivors != 0 {
		t.Errorf("exit %d, %s", code, stdout)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	for range 20 { // a gate looks once before it sweeps, and that can fall between two of them
		if code, stdout, stderr = inside("gate", "g", "--json"); code != 0 || strings.Contains(stdout, `"marks":`) {
			break
		}
	}
	if code != 0 || !strings.Contains(stdout, "orphaned anew all the time, and not ended (find what starts it, and end that): ld.mold of lane kda: ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// A build whose wrapper forks twice looks the same, and goes on: what starts it
// can be found by the session.
func TestReaperDoubleForks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, kda := s.lanes(t)
	s.dir = kda
	inside := s.beside(t, kda, `exec setsid sh -c 'while :; do ("$0" once &); sleep 0.02; done' "$ld"`)
	var code int
	var stdout, stderr string
	for range 20 { // each lives for 50 ms, and on a busy machine the next one begins later
		if code, stdout, stderr = inside("reaper", "sweep"); code != 0 {
			break
		}
	}
	if code != 75 || !strings.HasPrefix(stdout, "goes on, nothing was sent: ld.mold of lane kda: ") || !strings.Contains(stderr, "hint: find what starts ld.mold and end that: ps -fs ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// beside returns what runs a gpuci in a pid namespace, beside what a line of
// shell starts in a lane: $ld is a linker that can fork.
func (s stage) beside(t *testing.T, lane, start string) func(args ...string) (code int, stdout, stderr string) {
	t.Helper()
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Getuid() != 0 {
		needsTool(t, "root and unshare")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		needsTool(t, "gcc")
	}
	ld := filepath.Join(t.TempDir(), "ld.mold")
	if out, err := exec.Command("gcc", "-o", ld, "../../reaper/testdata/forker.c").CombinedOutput(); err != nil {
		t.Fatalf("compile: %v: %s", err, out)
	}
	// By its program process 1 is systemd: of another one nothing is known to be
	// orphaned that leads its session.
	first := filepath.Join(t.TempDir(), "systemd")
	shell, err := os.ReadFile("/bin/sh")
	if err == nil {
		err = os.WriteFile(first, shell, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (int, string, string) {
		script := `ld=$1; lane=$2; shift 2; (cd "$lane"; ` + start + `) >/dev/null 2>&1 &
			n=0; until grep -qs '^ld.mold$' /proc/[0-9]*/comm || [ $((n+=1)) = 1000 ]; do sleep 0.01; done
			"$@"; exit $?`
		gpuci := s.command(t, args...)
		cmd := s.command(t)
		cmd.Path = unshare
		cmd.Args = slices.Concat([]string{"unshare", "-fp", "--mount-proc", "--kill-child", first, "-c", script, "sh", ld, lane}, gpuci.Args)
		return runCommand(t, cmd)
	}
}
