package gates

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/pressure"
	"gpuci/worktrees"
)

// debtStage is a real repository with a lane beside the main one, and its history.
type debtStage struct {
	t    *testing.T
	home string
	past *Past
}

func newDebtStage(t *testing.T) *debtStage {
	t.Helper()
	s := &debtStage{t: t, home: t.TempDir()}
	for name, value := range map[string]string{
		"HOME": s.home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t",
	} {
		t.Setenv(name, value)
	}
	s.git("", "init", "-q", "-b", "main", "main")
	s.write("main", "code", "1")
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "-b", "kda", "../kda")
	s.past = NewPast(context.Background(), history.Options{State: s.state(), Wait: time.Minute})
	t.Cleanup(func() { _ = s.past.Close() })
	return s
}

func (s *debtStage) state() string { return filepath.Join(s.home, "main", ".git", "gpuci") }

func (s *debtStage) git(lane string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(s.home, lane)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *debtStage) commit(lane string) {
	s.t.Helper()
	s.git(lane, "add", "-A")
	s.git(lane, "commit", "-q", "-m", "one")
}

func (s *debtStage) write(lane, name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.home, lane, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *debtStage) lane(name string) worktrees.Lane {
	s.t.Helper()
	l, err := worktrees.Find(s.t.Context(), filepath.Join(s.home, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

// refusing is a machine whose pressure nobody can tell.
func (s *debtStage) refusing() *Pressure {
	return &Pressure{Rule: pressure.Rule{Refuse: true, Root: filepath.Join(s.home, "no pressure files")}}
}

// run runs a gate of a lane; p refuses it or is nil.
func (s *debtStage) run(lane, gate, command string, p *Pressure, args ...string) Verdict {
	s.t.Helper()
	g := config.Gate{Name: gate, Dir: ".", Grace: 5 * time.Second, Reader: "none", Timeout: 5 * time.Minute, BuildTimeout: time.Minute, Run: shell(command)}
	l := s.lane(lane)
	return Run(s.t.Context(), Options{Gate: g, Root: l.Root, Lane: l, State: s.state(), Version: "test", History: s.past, Pressure: p, Args: args})
}

func (s *debtStage) refuse(lane, gate string) {
	s.t.Helper()
	if v := s.run(lane, gate, "true", s.refusing()); v.Outcome != Refused {
		s.t.Fatalf("%s: %v", v.Outcome, v.Findings)
	}
}

func (s *debtStage) trees() []worktrees.Tree {
	s.t.Helper()
	trees, err := LanesHere(s.t.Context(), s.lane("main"))
	if err != nil {
		s.t.Fatal(err)
	}
	return trees
}

// debts are all that there are.
func (s *debtStage) debts() []Debt {
	s.t.Helper()
	list, err := Unpaid(s.t.Context(), s.past)
	if err != nil {
		s.t.Fatal(err)
	}
	return Settle(s.t.Context(), s.past, s.trees(), list)
}

// owes says what is owed, and why the rest is not: "kda time; main time void WHY".
func (s *debtStage) owes(want ...string) {
	s.t.Helper()
	var got []string
	for _, d := range s.debts() {
		text := d.Name()
		if d.Void != "" {
			text += " void: " + d.Void
		}
		got = append(got, text)
	}
	if len(got) != len(want) {
		s.t.Fatalf("it owes %q, want %q", got, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) || strings.Contains(got[i], " void: ") != strings.Contains(want[i], " void: ") {
			s.t.Errorf("it owes %q, want %q", got, want)
		}
	}
}

// What is refused for the machine is owed until the same gate comes to something on the
// same content, in whichever lane.
func TestDebtIsPaid(t *testing.T) {
	s := newDebtStage(t)
	s.owes()
	s.refuse("kda", "time")
	s.refuse("kda", "time")
	d := s.debts()
	if len(d) != 1 || d[0].Times != 2 || d[0].Why != "box" || d[0].ForCard() || !d[0].Clean() || d[0].Commit != s.git("kda", "rev-parse", "HEAD") || !d[0].Last.After(d[0].Since) {
		t.Fatalf("%+v", d)
	}
	s.run("kda", "other", "true", nil)
	s.run("kda", "time", `test "$@"`, nil, "1") // partial
	s.owes("kda time")
	s.run("main", "time", "true", nil) // the same commit
	s.owes()

	s.refuse("kda", "time")
	s.write("kda", "code", "2")
	s.refuse("kda", "time")
	s.run("main", "time", "false", nil)
	s.owes("kda time")
	if d := s.debts(); d[0].Clean() {
		t.Errorf("the run of the clean commit has paid for the changes: %+v", d)
	}
	if v := s.run("kda", "time", "false", nil); v.Outcome != Red {
		t.Fatal(v.Outcome)
	}
	s.owes()
	if v := s.run("kda", "card", "true", nil); v.Outcome != Green {
		t.Fatal(v.Outcome)
	}
	g := config.Gate{Name: "card", Dir: ".", Reader: "none", Timeout: time.Minute, Run: shell("true"), Needs: []string{"gpu"}, Card: config.CardNeed{Count: 1}}
	if v := Run(t.Context(), Options{Gate: g, Root: s.lane("kda").Root, Lane: s.lane("kda"), State: s.state(), Version: "test", History: s.past}); v.Outcome != Refused {
		t.Error(v.Outcome)
	}
	s.owes() // what can never run here owes nothing
}
