package reaper

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/reaper/proc"
)

// looks lets a sweeper see one look after another, some time apart.
func looks(t *testing.T, apart time.Duration, o Options, each ...[]Judged) *sweeper {
	t.Helper()
	s := &sweeper{o: o.filled(), streaks: make(map[strain]*streak)}
	for _, seen := range each {
		s.last = Judgement{Judged: seen}
		for i, j := range seen {
			if j.Leaked {
				s.last.leaked = append(s.last.leaked, i)
			}
		}
		s.report.Passes++
		s.follow()
		for _, k := range s.streaks {
			k.first = k.first.Add(-apart)
		}
	}
	return s
}

// young are processes of a program, with nothing but their age for them.
func young(program string, pids ...int) (out []Judged) {
	for _, pid := range pids {
		out = append(out, Judged{
			Process: Process{Stat: proc.Stat{PID: pid, Comm: program, Start: uint64(pid)}, Exe: proc.Place{Answer: proc.Known, Path: "/usr/bin/" + program}},
			Tool:    program, Lane: "kda", Top: pid, Young: true,
		})
	}
	return out
}

// What a chain is and what is none, look by look.
func TestFollow(t *testing.T) {
	patient := Options{Patient: true, Rules: Rules{Floor: 2 * time.Second}}
	old := young("ld", 1)
	old[0].Leaked, old[0].Young = true, false
	for _, c := range []struct {
		name  string
		each  [][]Judged
		apart time.Duration
		want  string // chains, and how many quiet looks are enough
	}{
		{"nothing", [][]Judged{nil, nil}, time.Second, "0 2"},
		{"one that gets older", [][]Judged{young("ld", 1), young("ld", 1), young("ld", 1), young("ld", 1)}, time.Second, "0 5"},
		{"one after the other", [][]Judged{young("ld", 1), young("ld", 2), young("ld", 3)}, time.Second, "1 1"},
		{"not for long enough", [][]Judged{young("ld", 1), young("ld", 2)}, time.Second, "0 5"},
		{"with looks between them", [][]Judged{young("ld", 1), nil, nil, nil, nil, young("ld", 2)}, time.Second, "1 1"},
		{"with more looks between them", [][]Judged{young("ld", 1), nil, nil, nil, nil, nil, young("ld", 2)}, time.Second, "0 5"},
		{"of two programs", [][]Judged{young("ld", 1), young("as", 2), young("ld", 3), young("as", 4)}, time.Second, "2 1"},
		{"one of which got old", [][]Judged{young("ld", 1), young("ld", 2), old, young("ld", 4)}, time.Second, "0 5"},
		{"that is over by now", [][]Judged{young("ld", 1), young("ld", 2), young("ld", 3), nil, nil, nil, nil, nil}, time.Second, "0 2"},
		{"many at once", [][]Judged{young("ld", 1, 2, 3), young("ld", 2, 3), young("ld", 3)}, time.Second, "0 5"},
	} {
		s := looks(t, c.apart, patient, c.each...)
		n := 0
		for _, k := range s.streaks {
			if k.apart {
				n++
			}
		}
		if got := fmt.Sprint(n, s.enough()); got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
}

// Who gets old in what is known for a chain is let be with all below him; others
// that are old enough are not.
func TestOldInAChain(t *testing.T) {
	old := append(young("ld", 4), young("as", 5, 6)...)
	for i := range old {
		old[i].Leaked, old[i].Young = true, false
	}
	old[1].Top = 4
	s := looks(t, time.Second, Options{Patient: true, Rules: Rules{Floor: 2 * time.Second}}, young("ld", 1), young("ld", 2), young("ld", 3), old)
	if list := s.last.victims(); len(list) != 1 || list[0].PID != 6 {
		t.Errorf("%+v", list)
	}
	s.report.Swept = []Kill{{Judged: old[0]}}
	list := s.chains()
	if len(list) != 1 || list[0].Ended != 1 {
		t.Fatalf("%+v", list)
	}
	list[0].Session, list[0].For = 4711, 2*time.Second
	want := "goes on: ld of lane kda: 3 seen in 2s, each too young to be ended, the last one pid 3 in session 4711; 1 that were old enough were sent SIGKILL before it was known"
	if got := (Report{Chains: list}).String(); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// A deadline that is over before the floor tells of what has come anew by then,
// and of no single one.
func TestChainAtTheDeadline(t *testing.T) {
	o := Options{Patient: true, Rules: Rules{Floor: time.Hour}}
	if list := looks(t, time.Second, o, young("ld", 1), young("ld", 2)).chains(); len(list) != 1 || list[0].Seen != 2 || list[0].For >= time.Minute {
		t.Errorf("%+v", list)
	}
	if list := looks(t, time.Second, o, young("ld", 1, 2), young("ld", 2)).chains(); len(list) != 0 {
		t.Errorf("none came: %+v", list)
	}
}

// One that has ended before it could be judged leaves a doubt, for some looks.
func TestVanished(t *testing.T) {
	gone := exec.Command("/bin/true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	one := young("ld", gone.Process.Pid)
	one[0].Young, one[0].PPID, one[0].Why = false, 1, "its namespaces are not known"
	here := young("ld", os.Getpid())
	st, err := proc.Real.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	here[0].Young, here[0].Stat = false, st
	here[0].PPID = 1
	o := Options{Rules: Rules{Floor: time.Second}}
	for want, each := range map[string][][]Judged{
		"[5 5]": {one, nil}, "[5 2]": {one, nil, nil, nil, nil, nil}, "[2 2]": {here, nil},
	} {
		var got []int
		for _, n := range []int{1, len(each)} {
			got = append(got, looks(t, 0, o, each[:n]...).enough())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d are enough, want %s", got, want)
		}
	}
}

// Those of a chain are not waited for, others are; and what is told of it.
func TestChainIsSetApart(t *testing.T) {
	s := looks(t, time.Second, Options{Patient: true, Rules: Rules{Floor: 2 * time.Second}}, young("ld", 1), young("ld", 2), append(young("ld", 3), young("as", 4)...))
	below := young("as", 5)
	below[0].Top = 3 // goes with the chain's
	s.last.Judged = append(s.last.Judged, below...)
	var waited []int
	for _, j := range s.newborn() {
		waited = append(waited, j.PID)
	}
	if diff := cmp.Diff([]int{4}, waited); diff != "" {
		t.Errorf("waited for (-want +got): %s", diff)
	}
	list := s.chains()
	if len(list) != 1 || list[0].Seen != 3 || !list[0].Has(young("ld", 77)[0]) || list[0].Has(young("as", 4)[0]) {
		t.Fatalf("%+v", list)
	}
	list[0].Session, list[0].For = 4711, 2345*time.Millisecond
	want := "goes on, and nothing was sent: ld of lane kda: 3 seen in 2.3s, each too young to be ended, the last one pid 3 in session 4711"
	if got := (Report{Chains: list}).String(); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}
