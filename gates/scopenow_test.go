package gates

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
)

// TestMarksOfFaults: what came of a gate's faults on the very content is told, whatever
// its run knew of it; of another content, no more than that they were planted.
func TestMarksOfFaults(t *testing.T) {
	ctx := context.Background()
	store, err := history.Open(ctx, history.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	g := config.Gate{Name: "unit", Faults: []config.Fault{{Name: "a"}}}
	now := time.Now()
	if err := store.Record(ctx, history.Result{Run: "r1", Gate: "unit", Lane: "main", Outcome: string(Green), Tree: "tree", Config: SettingsID(g), Started: now.Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	m := Marking{Workspace: &config.Config{Gates: []config.Gate{g}}, Store: store, Lane: "main", Tree: "tree", Runs: map[string]string{"unit": "r1"}, Now: now}
	was := []string{"no cgroup", neverFalsified + "unit shows whether it can be red"}
	for i, c := range []struct {
		tree, outcome, want string
	}{
		{"", "", "no cgroup|" + was[1]},
		{"other", FaultBlind, "no cgroup"},
		{"tree", FaultBlind, "no cgroup|falsified 0 of 1 (not a), just now, same gate files: gpuci falsify unit"},
		{"tree", FaultCaught, "no cgroup"},
	} {
		if c.tree != "" {
			one := history.Falsification{
				Run: "f" + string(rune('0'+i)), Gate: "unit", Lane: "main", Started: now.Add(time.Duration(i-10) * time.Second), Tree: c.tree, Of: 1,
				Settings: SettingsID(g), Faults: FaultsID(g), Results: []history.Planting{{Fault: "a", Outcome: c.outcome}},
			}
			if err := store.RecordFalsification(ctx, one); err != nil {
				t.Fatal(err)
			}
		}
		kept := slices.Clone(was)
		got, err := m.Marks(ctx, g, kept)
		if err != nil || strings.Join(got, "|") != c.want || !slices.Equal(kept, was) {
			t.Errorf("%d: %q, want %q (%v)", i, got, c.want, err)
		}
	}
}

// TestBeneath: what asks for attention is green or known red by its run's numbers.
func TestBeneath(t *testing.T) {
	red := []history.Finding{{Outcome: string(Attention)}, {Outcome: string(Red)}}
	for _, c := range []struct {
		outcome  Outcome
		findings []history.Finding
		want     Outcome
		side     string
	}{
		{Attention, nil, Green, passes}, {Attention, red, KnownRed, fails}, {Green, nil, Green, passes},
		{Red, red, Red, fails}, {KnownRed, red, KnownRed, fails}, {Broken, red, Broken, ""}, {Refused, nil, Refused, ""},
	} {
		r := history.Result{Outcome: string(c.outcome), Findings: c.findings}
		if got, side := Beneath(r), sideOf(r); got != c.want || side != c.side {
			t.Errorf("%s: %s, %q; want %s, %q", c.outcome, got, side, c.want, c.side)
		}
	}
}
