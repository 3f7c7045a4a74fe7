package judge

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestRuleFilled: what is not said has its default, and what cannot be met is an error.
func TestRuleFilled(t *testing.T) {
	r, err := Rule{}.Filled()
	if want := (Rule{20, 2000, 8, 0.99, 0.01, 0.03, 0.9, 0.5, 0, false}); err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := (Rule{Samples: 3000}).Filled(); err != nil || r.Most != 3000 {
		t.Errorf("%+v, %v", r, err)
	}
	bad := map[string]Rule{
		"too few to be sure":    {Samples: 8},
		"at least samples (20)": {Samples: 20, Most: 10},
		"samples -1":            {Samples: -1},
		"seek 0.01 above it":    {Least: 0.02, Seek: 0.01},
		"confidence 1 and":      {Confidence: 1},
		"least 2 is":            {Least: 2},
		"confidence NaN":        {Confidence: math.NaN()},
		"least NaN":             {Least: math.NaN()},
	}
	for name, r := range bad {
		if _, err := r.Filled(); !errors.Is(err, ErrRule) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Judge(Session{Plan: Plan{Control: "a", Arm: "b"}}, simulated, r); !errors.Is(err, ErrRule) {
			t.Errorf("%s: judged, %v", name, err)
		}
	}
	for among, least := range map[int]int{0: 12, 6: 14} {
		_, err := Rule{Samples: 8, Among: among}.Filled()
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("it takes %d of each arm", least)) {
			t.Errorf("of %d: %v", among, err)
		}
		if many, err := (Rule{Samples: least, Among: among}).among(1); err != nil || many.Samples != least {
			t.Errorf("of %d, with those it takes: %d, %v", among, many.Samples, err)
		}
		if many, err := (Rule{Samples: 12, Among: among}).among(1); err != nil || many.Samples != least {
			t.Errorf("of %d, with what one takes: %d, %v", among, many.Samples, err)
		}
	}
	if _, err := (Rule{Samples: 4, Confidence: 1 - 1e-16, Among: 100}).Filled(); !errors.Is(err, ErrRule) { // and it ends
		t.Error(err)
	}
}

// TestLooksSpendTheDoubt: the looks go from the least samples to the most, and their
// chances of error make no more than the rule has.
func TestLooksSpendTheDoubt(t *testing.T) {
	for _, r := range []Rule{{}, {Samples: 20, Most: 20}, {Samples: 21, Most: 24}, {Samples: 30, Most: 100000, Confidence: 0.9}} {
		r, err := r.Filled()
		if err != nil {
			t.Fatal(err)
		}
		looks := r.looks()
		first, last := looks[0], looks[len(looks)-1]
		if 2*first.rounds < r.Samples || 2*first.rounds > r.Samples+1 || 2*last.rounds < r.Most || 2*last.rounds > r.Most+1 {
			t.Errorf("%+v: looks from %d to %d rounds", r, first.rounds, last.rounds)
		}
		var doubt float64
		for i, at := range looks {
			if at.number != i+1 || i > 0 && at.rounds <= looks[i-1].rounds {
				t.Errorf("%+v: look %d is %+v, after %+v", r, i+1, at, looks[max(0, i-1)])
			}
			part := math.Erfc(at.z / math.Sqrt2)
			if at.critical != critical(2*at.rounds, part*1.0000001) {
				t.Errorf("%+v: look %d has the interval of another chance", r, i+1)
			}
			doubt += part
		}
		if doubt > (1-r.Confidence)*1.0001 || doubt < (1-r.Confidence)*0.999 {
			t.Errorf("%+v: the looks spend %v", r, doubt)
		}
	}
}
