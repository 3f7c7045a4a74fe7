package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// nobody is a uid that owns nothing.
const nobody = 65534

// asNobody is a command line that runs another as another uid.
func asNobody(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		if strict() {
			t.Fatal("needs root and setpriv")
		}
		return nil
	}
	id := strconv.Itoa(nobody)
	return []string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}
}

// bothOwners runs a test in a workspace as it comes, and in one of another user,
// where no leaf can be made.
func bothOwners(t *testing.T, gates string, do func(*testing.T, workspace)) {
	t.Helper()
	for name, wrap := range map[string][]string{"as it comes": nil, "another uid": asNobody(t)} {
		t.Run(name, func(t *testing.T) {
			if name == "another uid" && wrap == nil {
				t.Skip("needs root and setpriv")
			}
			w := newWorkspace(t, gates)
			if wrap != nil {
				w.handOver(t, wrap)
			}
			do(t, w)
		})
	}
}

// handOver makes the workspace that user's, whose home is not ours.
func (w *workspace) handOver(t *testing.T, wrap []string) {
	t.Helper()
	w.wrap = append(slices.Clone(wrap), "env", "HOME="+w.state, "XDG_DATA_HOME="+w.state)
	for _, dir := range []string{w.dir, w.state} {
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

// pid reads a process id that a gate wrote down.
func (w workspace) pid(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// processRuns says whether a process does; a zombie does not.
func processRuns(pid int) bool {
	s, err := proc.Real.Stat(pid)
	return err == nil && !s.Zombie()
}

// outcomes counts the recorded verdicts by outcome.
func (w workspace) outcomes(t *testing.T) map[gates.Outcome]int {
	t.Helper()
	out := make(map[gates.Outcome]int)
	for _, path := range w.stored(t, "runs/*/verdict.json") {
		out[readVerdict(t, path).Outcome]++
	}
	return out
}

// of lists the recorded verdicts of one gate, oldest first.
func (w workspace) of(t *testing.T, gate string) (out []gates.Verdict) {
	t.Helper()
	for _, path := range w.stored(t, "runs/*/verdict.json") {
		if v := readVerdict(t, path); v.Gate == gate {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b gates.Verdict) int { return a.Started.Compare(b.Started) })
	return out
}

const leaving = `
[[gate]]
name = "leaves"
run = '''
setsid sleep 3600 &
echo $! > bg
echo $$ > pid; echo ready >&2
sleep 3600
'''
reader = "none"

[[gate]]
name = "next"
run = ["true"]
reader = "none"
`

// After gpuci itself was killed, the next one ends what it left, closes its
// record, and says so. Once as it comes, and once where no leaf can be made.
func TestKilledGpuci(t *testing.T) {
	bothOwners(t, leaving, func(t *testing.T, w workspace) {
		r := w.start(t, "ready", "gate", "leaves")
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = r.wait(t)
		if !processRuns(w.pid(t, "pid")) {
			t.Fatal("the gate ended with its gpuci: there is nothing to test")
		}
		cmd := w.command(t, "gate", "next")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !strings.Contains(string(out), "of gate leaves left when gpuci was killed") {
			t.Errorf("it says nothing of what it ended: %s", out)
		}
		for _, file := range []string{"pid", "bg"} {
			if pid := w.pid(t, file); processRuns(pid) {
				t.Errorf("%s: pid %d is alive", file, pid)
			}
		}
		if left := w.stored(t, "live/*"); len(left) > 0 {
			t.Errorf("still said to go on: %q", left)
		}
		killed := w.of(t, "leaves")
		if len(killed) != 1 || killed[0].Outcome != gates.Interrupted || killed[0].Bound.Root == "" || len(killed[0].Next) < 2 {
			t.Fatalf("recorded %+v; want one interrupted run with a root and what to do next", killed)
		}
		if l := killed[0].Leftover; l == nil || len(l.Ended) < 2 || len(l.Survivors) != 0 || l.By == "" {
			t.Errorf("its record says of what was left: %+v", l)
		}
		next := w.of(t, "next")
		if c := next[0].Command; w.wrap != nil && (c.Supervised != "session" || c.NoCgroup == "") {
			t.Errorf("the next one was supervised by %q, %q", c.Supervised, c.NoCgroup)
		}
	})
}

const branching = `
[[gate]]
name = "branches"
run = '''
for i in 1 2 3; do setsid bash -c "echo \$\$ >> pids; exec sleep 3600" & done
bash -c 'echo $$ >> pids; trap "" TERM; while :; do sleep 0.1; done' &
echo $$ >> pids
echo done >> pids
sleep 3600
'''
reader = "none"

[[gate]]
name = "next"
run = ["true"]
reader = "none"
`

// gpuci is killed at random moments; the next start leaves nothing of it. The
// witnesses are the pids that the gate's processes wrote down themselves. Also
// as another uid, where no leaf can be made. GPUCI_SOAK=1 takes 200 moments.
func TestKilledAtRandom(t *testing.T) {
	bothOwners(t, branching, func(t *testing.T, w workspace) {
		moments := 6
		if os.Getenv("GPUCI_SOAK") == "1" {
			moments = 200
		}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range moments {
			w.killAndLook(t, i, time.Duration(random.IntN(60_000))*time.Microsecond)
		}
		w.nothingLive(t)
	})
}

func (w workspace) killAndLook(t *testing.T, moment int, after time.Duration) {
	t.Helper()
	_ = os.Remove(filepath.Join(w.dir, "pids"))
	cmd := w.command(t, "gate", "branches")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if out, err := w.command(t, "gate", "next").CombinedOutput(); err != nil {
		t.Fatalf("moment %d: %v: %s", moment, err, out)
	}
	text, _ := os.ReadFile(filepath.Join(w.dir, "pids"))
	for field := range strings.FieldsSeq(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil && processRuns(pid) {
			t.Errorf("moment %d: pid %d is alive", moment, pid)
		}
	}
}

// nothingLive checks that every run is closed and no leaf is left.
func (w workspace) nothingLive(t *testing.T) {
	t.Helper()
	for _, path := range w.stored(t, "live/*") {
		// A gpuci killed in the middle of making one leaves it for a minute.
		if !strings.HasSuffix(path, ".part") {
			t.Errorf("still said to go on: %s", path)
		}
	}
	for _, run := range w.stored(t, "runs/*") {
		if _, err := os.Stat(filepath.Join(run, "verdict.json")); err != nil {
			t.Errorf("never closed: %v", err)
		}
		if dir := proc.LeafParent(); dir != "" {
			if left, _ := filepath.Glob(filepath.Join(dir, "gpuci-"+filepath.Base(run)+"*")); len(left) > 0 {
				t.Errorf("leaves are left: %q", left)
			}
		}
	}
}

// A run whose gpuci lives is left alone, also when it cannot be seen: another
// pid namespace is another container with the same repository.
func TestLivingRunElsewhere(t *testing.T) {
	if _, err := exec.LookPath("unshare"); err != nil || os.Getuid() != 0 {
		if strict() {
			t.Fatal("needs root and unshare")
		}
		t.Skip("needs root and unshare")
	}
	contained := []string{"unshare", "-pf", "--mount-proc"}
	for name, wraps := range map[string][2][]string{
		"the living one in a container": {contained, nil}, "the next one in a container": {nil, contained},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, `
[[gate]]
name = "lives"
run = "echo ready >&2; while [ ! -e go ]; do sleep 0.02; done"
reader = "none"
[[gate]]
name = "next"
run = ["true"]
reader = "none"
`)
			w.wrap = wraps[0]
			r := w.start(t, "ready", "gate", "lives")
			w.wrap = wraps[1]
			if out, err := w.command(t, "gate", "next").CombinedOutput(); err != nil || strings.Contains(string(out), "killed") {
				t.Errorf("%v: %s", err, out)
			}
			if err := os.WriteFile(filepath.Join(w.dir, "go"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if code, stderr := r.wait(t); code != 0 {
				t.Errorf("the living run ended with %d: %s %s", code, r.out.String(), stderr)
			}
			if got := w.outcomes(t); got[gates.Green] != 2 || len(got) != 1 {
				t.Errorf("outcomes %v, want two greens", got)
			}
		})
	}
}

// What else lies in the directory of running gates holds nobody up and leads
// nowhere.
func TestForeignLiveFiles(t *testing.T) {
	w := newWorkspace(t, "[[gate]]\nname = \"next\"\nrun = [\"true\"]\nreader = \"none\"\n")
	if err := w.command(t, "gate", "next").Run(); err != nil {
		t.Fatal(err)
	}
	found := w.stored(t, "live")
	if len(found) != 1 {
		t.Fatalf("live directories: %q", found)
	}
	live := func(name string) string { return filepath.Join(found[0], name) }
	escape := `{"run":"../../escape","gate":"x","host":"h"}`
	for _, err := range []error{
		syscall.Mkfifo(live("20260101T000000Z-00000000.json"), 0o644),
		os.Symlink("/dev/zero", live("20260101T000000Z-00000001.json")),
		os.WriteFile(live("20260101T000000Z-00000002.json"), []byte(escape), 0o644),
		os.WriteFile(live("20260101T000000Z-00000003.json"), nil, 0o644),
		os.WriteFile(live("other.json"), []byte(escape), 0o644),
		os.Mkdir(live("20260101T000000Z-00000004.json"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := w.command(t, "gate", "next").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "is no record of a run") {
		t.Errorf("%v: %s", err, out)
	}
	if escaped := w.stored(t, "escape"); len(escaped) > 0 {
		t.Errorf("written: %q", escaped)
	}
}

// What another user's killed gpuci left is found by root; a third user says
// that it is not theirs to find, and leaves the run open.
func TestKilledGpuciOfAnother(t *testing.T) {
	wrap := asNobody(t)
	if wrap == nil {
		t.Skip("needs root and setpriv")
	}
	w := newWorkspace(t, leaving)
	w.handOver(t, wrap)
	r := w.start(t, "ready", "gate", "leaves")
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = r.wait(t)
	own := w.wrap
	third := strings.ReplaceAll(strings.Join(own, "\n"), strconv.Itoa(nobody), strconv.Itoa(nobody-1))
	w.wrap = strings.Split(third, "\n")
	out, _ := w.command(t, "gate", "next").CombinedOutput()
	if !processRuns(w.pid(t, "bg")) || len(w.of(t, "leaves")) != 0 {
		t.Errorf("a third user ended or closed it: %s", out)
	}
	w.wrap = own[slices.Index(own, "env"):]
	out, _ = w.command(t, "gate", "next").CombinedOutput() // refused: the shims are not root's
	if !strings.Contains(string(out), "of gate leaves left when gpuci was killed") {
		t.Errorf("it says nothing of what it ended: %s", out)
	}
	for _, file := range []string{"pid", "bg"} {
		if pid := w.pid(t, file); processRuns(pid) {
			t.Errorf("%s: pid %d is alive", file, pid)
		}
	}
	if left := w.stored(t, "live/*"); len(left) > 0 {
		t.Errorf("still said to go on: %q", left)
	}
}
