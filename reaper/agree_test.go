package reaper_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuci/reaper"
)

// judged is the package's answer, in the order in which it gives it.
func (w *world) judged() (victims []int, err error) {
	j, err := reaper.Judge(w.picture(), w.Lanes, func(lane string) bool { return w.Wanted[lane] },
		reaper.Rules{Family: w.Family, Tools: w.tools(), Floor: w.Floor, TestBinaries: w.TestBinaries, Protected: w.protected()})
	for _, it := range j.Victims() {
		victims = append(victims, it.PID)
	}
	return victims, err
}

// difference is what the package says of a world and the reference does not.
type difference struct {
	killed []int // wrongly: the worst that it can do
	left   []int // wrongly alive
	order  string
	errs   string
}

func (d difference) none() bool {
	return len(d.killed) == 0 && len(d.left) == 0 && d.order == "" && d.errs == ""
}

func (d difference) String() string {
	return strings.TrimSpace(fmt.Sprintf("wrongly killed %v, wrongly left %v %s %s", d.killed, d.left, d.order, d.errs))
}

func (w *world) difference() (d difference) {
	want, wantErr := w.reference(clauseNone)
	got, gotErr := w.judged()
	for _, pid := range got {
		if !slices.Contains(want, pid) {
			d.killed = append(d.killed, pid)
		}
	}
	for _, pid := range want {
		if !slices.Contains(got, pid) {
			d.left = append(d.left, pid)
		}
	}
	if (wantErr == nil) != (gotErr == nil) {
		d.errs = fmt.Sprintf("error %v, want %v", gotErr, wantErr)
	}
	d.order = w.disorder(got)
	return d
}

// disorder says what is wrong with the order of the victims. Parents in a
// circle have none.
func (w *world) disorder(victims []int) string {
	for i, pid := range victims {
		if slices.Contains(victims[:i], pid) {
			return fmt.Sprintf("%d twice in %v", pid, victims)
		}
		it := w.Processes[pid]
		older := w.Processes[it.PPID].Start < it.Start
		if older && slices.Contains(victims[i:], it.PPID) {
			return fmt.Sprintf("%d before its parent %d in %v", pid, it.PPID, victims)
		}
	}
	return ""
}

// agreementWorlds is how many worlds are asked for.
func agreementWorlds() uint64 {
	switch {
	case os.Getenv("GPUCI_SOAK") == "1":
		return 200_000
	case testing.Short():
		return 2_000
	}
	return 10_000
}

// reported is how many differences of one kind are printed.
const reported = 5

// TestAgreement asks the package and the reference about the same machines.
func TestAgreement(t *testing.T) {
	var killed, left, other []uint64
	processes, victims, garbled := 0, 0, 0
	n := agreementWorlds()
	for seed := range n {
		w := newWorld(seed)
		want, err := w.reference(clauseNone)
		processes, victims = processes+len(w.Processes), victims+len(want)
		if err != nil {
			garbled++
		}
		switch d := w.difference(); {
		case d.none():
		case len(d.killed) > 0:
			killed = append(killed, seed)
		case len(d.left) > 0:
			left = append(left, seed)
		default:
			other = append(other, seed)
		}
	}
	t.Logf("wrongly killed in %d, wrongly left in %d, otherwise wrong in %d of %d worlds (%d processes, %d to be ended, %d worlds garbled)",
		len(killed), len(left), len(other), n, processes, victims, garbled)
	if victims < int(n) || victims > processes/2 || garbled == 0 {
		t.Errorf("%d of %d processes in %d worlds are to be ended: these worlds test little", victims, processes, n)
	}
	report(t, "wrongly killed", killed, func(d difference) bool { return len(d.killed) > 0 })
	report(t, "wrongly left", left, func(d difference) bool { return len(d.left) > 0 })
	report(t, "wrong", other, func(d difference) bool { return !d.none() })
}

// report fails the test with the smallest worlds that still show a difference,
// each for another reason.
func report(t *testing.T, what string, seeds []uint64, shows func(difference) bool) {
	t.Helper()
	told := make(map[string]bool)
	for _, seed := range seeds[:min(len(seeds), 50*reported)] {
		w := newWorld(seed).smallest(func(w *world) bool { return shows(w.difference()) })
		if why := w.explained(); !told[why] && len(told) < reported {
			told[why] = true
			t.Errorf("%s, world %d: %v\n%s\n%v", what, seed, w.difference(), why, w)
		}
	}
}

// explained names the clauses without which the reference would agree.
func (w *world) explained() string {
	got, _ := w.judged()
	slices.Sort(got)
	var out strings.Builder
	for c := clauseNone + 1; c < clauseEnd; c++ {
		if less, _ := w.reference(c); slices.Equal(less, got) {
			fmt.Fprintf(&out, "the reference would agree without %q\n", c)
		}
	}
	return cmp.Or(out.String(), "no clause alone explains it\n")
}

// TestEveryClauseDecides counts, for each clause of the rule, the worlds of
// TestAgreement in which other processes would be ended without it: a package
// that forgot that clause would be found out there.
func TestEveryClauseDecides(t *testing.T) {
	decided := 5 // worlds at least, of the 10,000
	if testing.Short() {
		decided = 1
	}
	count := make(map[clause]int)
	open := make([]clause, 0, clauseEnd)
	for c := clauseNone + 1; c < clauseEnd; c++ {
		open = append(open, c)
	}
	for seed := uint64(0); seed < agreementWorlds() && len(open) > 0; seed++ {
		w := newWorld(seed)
		whole, _ := w.reference(clauseNone)
		open = slices.DeleteFunc(open, func(c clause) bool {
			if less, _ := w.reference(c); !slices.Equal(whole, less) {
				count[c]++
			}
			return count[c] == decided
		})
	}
	for _, c := range open {
		t.Errorf("%q decided in %d worlds only, want %d", c, count[c], decided)
	}
}
