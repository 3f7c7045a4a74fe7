package gates

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

// patience is how long a test waits for what happens at once on a quiet machine.
const patience = 3 * time.Minute

// cardStage is a machine with a stand-in for the driver, and a workspace on it.
type cardStage struct {
	t                 *testing.T
	box               *devicetest.Box
	root, state, lock string
	notes             chan string
}

func newCardStage(t *testing.T) *cardStage {
	s := &cardStage{t: t, box: devicetest.Start(t), root: t.TempDir(), state: t.TempDir(), lock: filepath.Join(t.TempDir(), "lock"), notes: make(chan string, 1000)}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return s
}

// cuda is what a shell runs to be a program on card 0.
const cuda = `exec 9<$GPUCI_NVIDIA_ROOT/dev/nvidia0; echo "process 0 compute $$ 1073741824" >> $NVML_STANDIN; `

// meet lets a run go on when the test says so.
const meet = `touch "$OUT/there"; until test -e "$OUT/go"; do sleep 0.05; done; `

// needing is a gate that needs a card.
func needing(run string) config.Gate {
	return config.Gate{
		Name: "fused", Dir: ".", Reader: "none", Grace: 5 * time.Second, Timeout: 2 * patience, BuildTimeout: 2 * patience,
		Needs: []string{"gpu"}, Card: config.CardNeed{Count: 1}, Run: shell(run),
	}
}

// sharing is one that may be there with somebody else.
func sharing(run string) config.Gate {
	g := needing(run)
	g.ShareGPU, g.VRAM = true, 8<<30
	return g
}

// cards are those of the stage, as a gpuci of its own sees them.
func (s *cardStage) cards() *Cards {
	c := &Cards{Driver: s.box.Options(), LockDir: s.lock, Headroom: 2 << 30}
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (s *cardStage) options(g config.Gate, c *Cards) Options {
	return Options{
		Gate: g, Root: s.root, State: s.state, Version: "test", Cards: c, Env: append(s.box.Env(), "OUT="+s.root),
		Note: func(text string) { s.notes <- text },
	}
}

func (s *cardStage) run(g config.Gate) Verdict {
	return Run(context.Background(), s.options(g, s.cards()))
}

// begin runs a gate beside the test, until it meets it.
func (s *cardStage) begin(g config.Gate, c *Cards) <-chan Verdict {
	s.t.Helper()
	done := make(chan Verdict, 1)
	go func() { done <- Run(context.Background(), s.options(g, c)) }()
	await(s.t, "the run", func() bool { return isThere(filepath.Join(s.root, "there")) || len(done) > 0 })
	return done
}

// goOn lets it go on.
func (s *cardStage) goOn() {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.root, "go"), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// saw waits until the watch of the run that goes on has seen a state.
func (s *cardStage) saw(state device.State) {
	s.t.Helper()
	await(s.t, "the watch to see "+state.String(), func() bool {
		return bytes.Contains(s.points(), []byte(fmt.Sprintf(`"state":%q`, state)))
	})
}

// points are what the runs have written down of the card, and samples how many.
func (s *cardStage) points() (all []byte) {
	files, _ := filepath.Glob(filepath.Join(s.state, "runs", "*", cardFile))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		all = append(all, data...)
	}
	return all
}

func (s *cardStage) samples() int { return bytes.Count(s.points(), []byte("\n")) }

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// wants checks an outcome and texts in what the verdict says of it.
func wants(t *testing.T, v Verdict, o Outcome, owed string, texts ...string) {
	t.Helper()
	why := ""
	if v.Owed != nil {
		why = v.Owed.Why
	}
	said := fmt.Sprint(v.Findings, v.Marks, v.Next)
	if v.Outcome != o || why != owed {
		log, _ := os.ReadFile(v.Log)
		t.Errorf("%s, owed %q, want %s, %q: %s\n%s", v.Outcome, why, o, owed, said, log)
	}
	for _, text := range texts {
		if !strings.Contains(said, text) {
			t.Errorf("%q is not in %s", text, said)
		}
	}
}
