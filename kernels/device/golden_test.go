package device

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden is a recorded answer with what is to be made of it where /proc has none of
// its processes, and nobody is ours. `gpuci gpu status --raw` prints the Raw.
type golden struct {
	From   string   `json:"from"`            // the machine, or "made by hand"
	States []State  `json:"states"`          // of the cards
	Why    []string `json:"why"`             // parts of their reasons
	Names  []string `json:"names,omitempty"` // of the models
	SM     []int    `json:"sm,omitempty"`    // compute capabilities
	Raw    Raw      `json:"raw"`
}

// TestGolden judges every answer of testdata/golden.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			d := json.NewDecoder(strings.NewReader(string(data)))
			d.DisallowUnknownFields()
			if err := d.Decode(&g); err != nil {
				t.Fatal(err)
			}
			g.hold(t, Judge(g.Raw, nil, Around{Proc: "testdata/empty-proc"}))
		})
	}
}

func (g golden) hold(t *testing.T, l Look) {
	if g.From == "" || len(l.Cards) == 0 || len(l.Cards) != len(g.States) || len(l.Cards) != len(g.Why) {
		t.Fatalf("%d cards; %d states and %d reasons, from %q", len(l.Cards), len(g.States), len(g.Why), g.From)
	}
	for i, c := range l.Cards {
		if c.State != g.States[i] || !strings.Contains(c.Why, g.Why[i]) {
			t.Errorf("card %d is %s: %s; it should be %s: %s", i, c.State, c.Why, g.States[i], g.Why[i])
		}
		if i < len(g.Names) && c.Name != g.Names[i] || i < len(g.SM) && c.SM() != g.SM[i] {
			t.Errorf("card %d is %s sm_%d", i, c.Name, c.SM())
		}
	}
	again, err := json.Marshal(g.Raw)
	if err != nil {
		t.Fatal(err)
	}
	var back Raw
	if err := json.Unmarshal(again, &back); err != nil || len(back.Cards) != len(g.Raw.Cards) {
		t.Errorf("written and read again: %v", err)
	}
}
