package ci

import (
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
	"strings"
	"testing"
	"time"
)

// TestLandAttention: a stale note lets in no red that only the lane calls known, and
// the base's own known red ends with its time.
func TestLandAttention(t *testing.T) {
	const unit = "[[gate]]\nname = 'unit'\nrun = 'echo m=$(cat m)'\nreader = 'none'\n"
	const bar = "[[gate.bar]]\nmetric = 'm'\npattern = 'm=(?P<value>\\d+)'\nmax = 5\n"
	s := newStage(t, unit+bar)
	s.commit("main", "m", "1")
	s.lane("kda")
	s.write("kda", "m", "9")
	s.commit("kda", "gpuci.toml", "[ci]\nrequired = ['unit']\n"+unit+"expect = 'red'\nowner = 'us'\nuntil = '2999-12-31'\n"+bar+"[[note]]\ntext = 'n'\nowner = 'us'\nabout = 'unit'\nuntil = '2020-01-01'\n")
	l, err := s.land("kda")
	if err != nil || l.Outcome != LandOutcome(gates.Red) || !strings.Contains(l.Why, "is a known red in lane kda alone") {
		t.Errorf("%+v, %v", l, err)
	}

	// Both are red for the same, and were agreed on until yesterday.
	until := func(day int) string {
		return "[ci]\nrequired = ['unit']\n" + unit + "expect = 'red'\nowner = 'us'\nuntil = '" + time.Now().AddDate(0, 0, day).Format(time.DateOnly) + "'\n" + bar
	}
	s.write("main", "m", "9")
	s.commit("main", "gpuci.toml", until(-1))
	s.lane("late")
	s.commit("late", "other", "")
	ran := 0
	l, err = s.land("late", func(o *LandOptions) {
		prepare := o.Prepare
		o.Prepare = func(lane worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
			ran++
			return prepare(lane, cfg, g)
		}
	})
	if err != nil || l.Outcome != Landed || len(l.Gates) != 1 || !l.Gates[0].AsBase || ran != 2 {
		t.Errorf("%d runs: %+v, %v", ran, l, err)
	}
	g := config.Gate{Name: "unit", Until: time.Now().AddDate(0, 0, -1)}
	known := history.Result{Gate: "unit", Outcome: string(gates.KnownRed)}
	land := &landing{baseCfg: &config.Config{Gates: []config.Gate{g}}}
	if !land.overdue(known) {
		t.Error("a known red of the base past its end counts")
	}
	if known.Outcome = string(gates.Red); land.overdue(known) {
		t.Error("a red is none that is known")
	}
}
