package protected

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	tr := train(t)
	us, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	pidfile := filepath.Join(filepath.Dir(tr.log), "pid")
	write(t, pidfile, fmt.Sprintln(tr.pid))
	stale := filepath.Join(filepath.Dir(tr.log), "stale") // of a process that had this pid before
	write(t, stale, fmt.Sprint(tr.pid))
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(stale, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	spoilt := filepath.Join(filepath.Dir(tr.log), "spoilt")
	write(t, spoilt, "starting")
	command := "^\\S+ " + tr.token
	found := find(t, Options{Rules: []Rule{
		{Name: "by command", Command: command, User: us.Username, Cwd: filepath.Dir(filepath.Dir(tr.log)), Cards: []string{"0"}},
		{Name: "by pidfile", PIDFile: pidfile, Cwd: filepath.Dir(tr.log)},
		{Name: "of another user", Command: command, User: "54321"},
		{Name: "elsewhere", Command: command, Cwd: filepath.Dir(tr.log) + "x"},
		{Name: "in a unit", Command: command, Unit: "no-such-unit.service"},
		{Name: "of a stale pidfile", PIDFile: stale},
		{Name: "without a pidfile", PIDFile: pidfile + "x"},
		{Name: "of nobody", Command: command, User: "no-such-user-here"},
		{Name: "of a spoilt pidfile", PIDFile: spoilt},
		{Name: "wrong", Command: "("},
	}})
	var names, unknown []string
	for _, r := range found.Runs {
		names = append(names, r.Rule.Name)
		if len(r.PIDs) != 2 || r.PIDs[0] != tr.pid || r.PIDs[1] != tr.worker || r.UID != os.Geteuid() || r.Since.IsZero() {
			t.Errorf("%s: %+v, want pids %d and %d", r.Rule.Name, r, tr.pid, tr.worker)
		}
	}
	for _, u := range found.Unknown {
		unknown = append(unknown, u.Rule.Name)
	}
	// Two rules of one process are two runs: the last one does not win.
	if want := []string{"by command", "by pidfile"}; !slices.Equal(names, want) {
		t.Errorf("found %q, want %q", names, want)
	}
	if want := []string{"of nobody", "of a spoilt pidfile", "wrong"}; !slices.Equal(unknown, want) {
		t.Errorf("unknown %q, want %q", unknown, want)
	}
	if text := found.Runs[0].Text(time.Now()); !strings.HasPrefix(text, fmt.Sprintf("protected run by command (pid %d %s, ", tr.pid, us.Username)) || !strings.HasSuffix(text, "is not known (its rule names no log and no progress)") {
		t.Errorf("%q", text)
	}
	checkOn(t, found)
}

// checkOn holds the runs against cards.
func checkOn(t *testing.T, found Look) {
	t.Helper()
	byRule, byProcess := found.Runs[0], found.Runs[1]
	byRule.Rule.Cards = []string{"0", "GPU-0abcdef1", "MIG-11"}
	on := Card{UUID: "GPU-77777777", Index: 3, PIDs: []int{1, byRule.PIDs[1]}}
	for _, c := range []struct {
		card Card
		want bool
	}{
		{Card{UUID: "GPU-99999999"}, true}, {Card{UUID: "GPU-99999999", Index: 1}, false}, {Card{UUID: "GPU-0ABCDEF1-2222", Index: 5}, true},
		{Card{UUID: "MIG-9", Parent: "GPU-0abcdef1-2222", Index: -1}, true}, {Card{UUID: "MIG-111", Index: 5}, false}, {on, true},
	} {
		if got := byRule.On(c.card); got != c.want {
			t.Errorf("on %+v: %v", c.card, got)
		}
	}
	if !byProcess.On(on) || byProcess.On(Card{UUID: "GPU-0", PIDs: []int{1}}) {
		t.Error("a run without cards is on those of its processes, and no others")
	}
	if !found.Unknown[0].On(on) {
		t.Error("a rule that names no card may be on every one")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What another user may not see is unknown, not absent.
func TestFindAsAnotherUser(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Getuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root and setpriv")
		}
		t.Skip("needs root and setpriv")
	}
	tr := train(t)
	self := copySelf(t)
	rule := Rule{Name: "by cwd", Command: tr.token, Cwd: filepath.Dir(tr.log)}
	found := find(t, Options{Rules: []Rule{rule}}, setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c", `shift; exec "$0" "$@"`, self)
	if len(found.Runs) != 0 || len(found.Unknown) != 1 || !strings.Contains(found.Unknown[0].Why, fmt.Sprintf("pid %d (", tr.pid)) || !strings.Contains(found.Unknown[0].Why, "working directory cannot be read") {
		t.Errorf("%+v", found)
	}
}

// copySelf copies the test binary to where every user can run it.
func copySelf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "self.test")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A run of a real process, by the log that it has open and by what was seen of it
// an hour ago.
func TestProgressOfARun(t *testing.T) {
	tr := train(t)
	dir := filepath.Dir(tr.log)
	state := filepath.Join(dir, "state", "protected")
	o := Options{State: state, Rules: []Rule{{Name: "night", Command: "^\\S+ " + tr.token, Log: filepath.Join(dir, "*.log"), Progress: steps.String()}}}
	tr.writes("step 100 of 1000")
	write(t, filepath.Join(dir, "zother.log"), "step 999 of 1000\nstep 1000 of 1000\n") // newer, and not its own
	first := find(t, o)
	if len(first.Runs) != 1 || len(first.Unknown) != 0 {
		t.Fatalf("%+v", first)
	}
	p := first.Runs[0].Progress
	if p.Done != 100 || p.Total != 1000 || p.Log != tr.log {
		t.Errorf("%+v", p)
	}
	list, err := filepath.Glob(state + "/*.json")
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	m := readMemory(list[0])
	m.Samples[0].At = m.Samples[0].At.Add(-time.Hour)
	m.write(list[0])
	tr.writes("step 200 of 1000")
	tr.writes("step 400 of 1000")
	r := find(t, o).Runs[0]
	at, basis, ok := r.FreeAt(time.Now())
	if left := at.Sub(r.Progress.Seen); !ok || basis != "step 400 of 1000, by its log" || left < 119*time.Minute || left > 121*time.Minute {
		t.Errorf("free at %s (%s, %v): %+v", at, basis, ok, r.Progress)
	}
	// The log is rotated: the new one says nothing yet.
	if err := os.Rename(tr.log, tr.log+".1"); err != nil {
		t.Fatal(err)
	}
	o.Rules[0].Log = tr.log
	if _, basis, ok := find(t, o).Runs[0].FreeAt(time.Now()); ok || !strings.Contains(basis, "no log") {
		t.Errorf("without a log: %q, %v", basis, ok)
	}
}

func TestCheck(t *testing.T) {
	good := Rule{Name: "x", Command: "train", Cards: []string{"0", "GPU-01234567", "MIG-GPU-0/1/0"}, Log: "/var/log/x-*.log", Progress: `(?P<done>\d+)/(?P<total>\d+)`}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for key, spoil := range map[string]func(*Rule){
		"name": func(r *Rule) { r.Name = "" }, "command": func(r *Rule) { r.Command = "" }, "cwd": func(r *Rule) { r.Cwd = "x" },
		"log": func(r *Rule) { r.Log = "/x[" }, "cards": func(r *Rule) { r.Cards = []string{"GPU-1"} }, "progress": func(r *Rule) { r.Progress = `(?P<done>\d+)` },
	} {
		r := good
		spoil(&r)
		if err := r.Check(); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// A rule that is wrong, or names a card that is not here, takes no card's protection
// away: any of them may be meant.
func TestRuleOfAnotherCard(t *testing.T) {
	here := []Card{{UUID: "GPU-01234567-8", Index: 0, PIDs: []int{77}}, {UUID: "MIG-1234abcd", Parent: "GPU-89abcdef-0", Index: 1}}
	for _, text := range []string{"0", "1", "GPU-01234567", "gpu-89AB", "MIG-1234"} {
		if missing := (Rule{Cards: []string{text}}).Missing(here); missing != nil {
			t.Errorf("%s is missing: %q", text, missing)
		}
	}
	tr := train(t)
	bad := find(t, Options{Rules: []Rule{{Name: "typo", Command: tr.token, Cards: []string{"GPU-zzz"}}}})
	if len(bad.Runs) != 0 || len(bad.Unknown) != 1 || !bad.Unknown[0].On(here[0]) || !bad.Unknown[0].On(here[1]) {
		t.Errorf("a wrong rule: %+v", bad)
	}
	for _, text := range []string{"7", "GPU-77777777"} {
		rule := Rule{Name: "gone", Command: tr.token, Cards: []string{"0", text}}
		found := find(t, Options{Rules: []Rule{rule}}).Among(here)
		if len(found.Runs) != 1 || len(found.Unknown) != 1 || !found.Unknown[0].On(here[1]) {
			t.Fatalf("of card %s: %+v", text, found)
		}
		if say, want := found.Unknown[0].Text(), fmt.Sprintf("on which card the protected run gone is is not known: pid %d is of its rule, which names %s, and", tr.pid, text); !strings.Contains(say, want) {
			t.Errorf("it is said to be %q, want %q", say, want)
		}
		unseen := Look{Unknown: []Unknown{{Rule: rule}, {Rule: Rule{Cards: []string{"0"}}}}}.Among(here).Unknown
		if len(unseen) != 2 || !unseen[0].On(here[1]) || unseen[1].On(here[1]) || !unseen[1].On(here[0]) {
			t.Errorf("of runs that cannot be seen: %+v", unseen)
		}
	}
}
