package ab

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gpuci/gates"
)

// What holds the clocks down all the time is the card's state, and marked; what comes and
// goes, and heat, throws a run out.
func TestSlowed(t *testing.T) {
	verdict := func(words ...string) gates.Verdict {
		var v gates.Verdict
		text, err := json.Marshal(map[string]any{"card": map[string]any{"cards": []any{map[string]any{"throttle": words}, map[string]any{"throttle": words}}}})
		if err == nil {
			err = json.Unmarshal(text, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	always := Log{Session: someSession()}
	for _, b := range []Built{{Arm: "a"}, {Arm: "a", Twin: true}, {Arm: "b"}, {Arm: "b", Twin: true}} {
		b.Throttle = []string{"hot", "power cap"}
		always.Built = append(always.Built, b)
	}
	once := always
	once.Built = slices.Clone(always.Built)
	once.Built[1].Throttle = []string{"hot"}
	for _, c := range []struct {
		log          Log
		words        []string
		always, came string
	}{
		{always, nil, "", ""},
		{always, []string{"power cap"}, "power cap", ""},
		{always, []string{"hot", "power cap"}, "power cap", "hot"},
		{always, []string{"application clocks"}, "", "application clocks"},
		{once, []string{"power cap"}, "", "power cap"},
		{Log{Session: someSession()}, []string{"power cap"}, "", "power cap"},
	} {
		a, came := c.log.slowed(verdict(c.words...))
		if strings.Join(a, ",") != c.always || strings.Join(came, ",") != c.came {
			t.Errorf("%v: %v and %v", c.words, a, came)
		}
	}
	always.Samples = []Sample{{Slowed: []string{"power cap"}}, {}, {Slowed: []string{"power cap"}, Thrown: Contended}}
	if r := ReportOf(always); len(r.Marks) != 1 || !strings.Contains(r.Marks[0], "power cap in 1 of 2 runs") {
		t.Errorf("%q", r.Marks)
	}
}
