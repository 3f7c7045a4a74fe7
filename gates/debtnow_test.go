package gates

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/gates/history"
)

// A lane that has gone on owes for what is there now, once, until the gate has been run
// there; what it was refused on it owes again when it is back.
func TestDebtMoves(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "time")
	s.write("kda", "note.txt", "1") // of anybody: an editor, the gate's own build
	s.owes("kda time")
	d := s.debts()[0]
	if d.Moved != "there are changes in the lane now" || d.Now == nil || d.Clean() || d.Content() == d.refusedAt() || d.Content().Changes == "" {
		t.Fatalf("%+v", d)
	}
	since := d.Since
	s.write("kda", "note.txt", "2")
	s.refuse("kda", "time")
	s.owes("kda time void: overtaken: there are changes in the lane now, and the gate was refused again since", "kda time")
	s.write("kda", "note.txt", "3")
	s.owes("kda time void: ", "kda time")
	if d := s.debts()[1]; d.Moved != "what is not committed there is otherwise now" || !d.Since.Equal(since) {
		t.Fatalf("%+v", d)
	}
	v := s.run("kda", "time", "true", nil)
	s.owes("kda time void: overtaken: there are changes in the lane now, and the gate has been run since: "+v.Run, "kda time void: overtaken: ")
	s.write("kda", "note.txt", "4")
	s.owes("kda time void: ", "kda time void: ") // that is new work, which nobody has refused
	s.git("kda", "clean", "-qf")
	s.owes("kda time", "kda time void: overtaken: what was not committed there is gone")
	s.run("kda", "time", "false", nil)
	s.owes("kda time void: overtaken")
}

// What is in a lane counts, not the commit that holds it.
func TestDebtOfTree(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "time")
	s.git("kda", "commit", "-q", "--amend", "--allow-empty", "-m", "another message")
	s.owes("kda time")
	if d := s.debts()[0]; d.Moved != "" {
		t.Errorf("%+v", d)
	}
	s.git("kda", "commit", "-q", "--allow-empty", "-m", "empty")
	s.run("kda", "time", "true", nil)
	s.owes()
	s.write("kda", "code", "2")
	s.refuse("kda", "time")
	s.commit("kda")
	s.owes("kda time")
	s.run("kda", "time", "true", nil)
	s.owes()
}

// What others were refused is seen, and paid by us; what they say they ran pays that,
// and nothing of ours.
func TestDebtOfOther(t *testing.T) {
	at := time.Now().Add(-time.Hour)
	one := func(uid int, outcome Outcome) history.Result {
		at = at.Add(time.Minute)
		r := history.Result{Run: at.String(), UID: uid, Lane: "kda", Gate: "time", Commit: "c", Outcome: string(outcome), Started: at}
		if outcome == Refused {
			r.Owed = &history.Owed{Why: OweCard}
		}
		return r
	}
	believed := func(uid int, _ time.Time) bool { return uid == 1 }
	for _, tt := range []struct {
		list []history.Result
		want string // uids
	}{
		{[]history.Result{one(1, Refused), one(2, Refused), one(3, Refused)}, "0 2 3"},
		{[]history.Result{one(1, Refused), one(2, Refused), one(3, Refused), one(2, Green)}, "0 3"},
		{[]history.Result{one(1, Refused), one(2, Refused), one(3, Refused), one(1, Red)}, ""},
	} {
		var got []string
		for _, d := range unpaid(tt.list, believed) {
			if (d.User == "") != (d.uid == 0) {
				t.Errorf("%+v", d)
			}
			got = append(got, strconv.Itoa(d.uid))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("it owes %q, want %q", got, tt.want)
		}
	}
}

// What is gone is owed no more.
func TestDebtIsVoid(t *testing.T) {
	s := newDebtStage(t)
	s.write("kda", "code", "4")
	s.commit("kda")
	s.refuse("kda", "unit")
	s.git("kda", "reset", "-q", "--hard", "main")
	s.owes("kda unit")
	if d := s.debts()[0]; d.Moved != "the lane is at "+s.git("kda", "rev-parse", "--short=10", "HEAD")+" now" {
		t.Errorf("%+v", d)
	}
	s.git("kda", "reflog", "expire", "--expire=now", "--all")
	s.git("main", "-c", "gc.auto=0", "gc", "-q", "--prune=now")
	s.owes("kda unit void: its commit ")
	s.refuse("kda", "last")
	s.git("main", "worktree", "remove", "-f", "../kda")
	for _, d := range s.debts() {
		if d.Void != "there is no lane kda any more" {
			t.Errorf("%+v", d)
		}
	}
}
