//go:build bench && linux

package judge

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The metrics of a run of testdata/work, in the order in which it prints them.
var measured = []Metric{
	{Name: "wall", Unit: "ns", Better: Lower},
	{Name: "processor", Unit: "ns", Better: Lower},
	{Name: "quickest tenth", Unit: "ns", Better: Lower},
}

// effects are the known differences in work, and how many comparisons issue 14 asks
// for of each.
var effects = []struct {
	more   float64
	target int
}{{0, 500}, {0.01, 200}, {0.03, 200}, {0.1, 200}}

// TestBenchAB compares a program with itself doing 0, 1, 3 and 10 % more work, on
// this machine as it is and with a build and a writer beside it, and prints how often
// each was called what. Two comparisons go on at once, each the other's neighbour.
// Issue 14: at most 2 % wrong of A/A, 3 % found in 80 %.
//
// GPUCI_AB_FOR is how long it goes on (25m); GPUCI_AB_JOURNAL is a file in which each
// comparison is kept, so that the next run adds to it; GPUCI_AB_LEAD is the metric
// whose samples are asked for (wall); GPUCI_AB_WORK how much work a run is, in ms (10);
// GPUCI_AB_LOAD=none starts nothing beside it, where there are neighbours enough.
func TestBenchAB(t *testing.T) {
	long, err := time.ParseDuration(cmp.Or(os.Getenv("GPUCI_AB_FOR"), "25m"))
	if err != nil {
		t.Fatal(err)
	}
	journal := cmp.Or(os.Getenv("GPUCI_AB_JOURNAL"), filepath.Join(t.TempDir(), "comparisons"))
	lead := cmp.Or(os.Getenv("GPUCI_AB_LEAD"), "wall")
	b := bench{program: buildWork(t), journal: journal, lead: lead, seen: map[float64]int{}}
	if b.rule, err = (Rule{}).among(len(measured)); err != nil { // they share the chance of error, as in Compare
		t.Fatal(err)
	}
	b.calibrate(t)
	for _, r := range readResults(t, journal) {
		if r.lead == lead {
			b.seen[r.more]++
		}
	}
	if os.Getenv("GPUCI_AB_LOAD") != "none" {
		disturb(t, b.program)
	}
	ctx := t.Context()
	end := time.Now().Add(long)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				more, seed, ok := b.next()
				if !ok {
					return
				}
				if err := b.compare(more, seed); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	report(readResults(t, journal))
}

// bench is a series of comparisons.
type bench struct {
	program, journal, lead string
	rule                   Rule // of each metric
	rounds                 int  // of arithmetic in a run of the control

	mu   sync.Mutex
	seen map[float64]int // comparisons done or begun, by effect
}

// next is the effect that is furthest behind, and a seed for it.
func (b *bench) next() (more float64, seed uint64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	least := 1.0
	for _, e := range effects {
		if done := float64(b.seen[e.more]) / float64(e.target); done < least {
			more, least = e.more, done
		}
	}
	seed = uint64(time.Now().UnixNano())
	b.seen[more]++
	return more, seed, least < 1
}

// calibrate finds how much work takes the time that was asked for.
func (b *bench) calibrate(t *testing.T) {
	ms, err := strconv.ParseFloat(cmp.Or(os.Getenv("GPUCI_AB_WORK"), "10"), 64)
	if err != nil {
		t.Fatal(err)
	}
	const trial = 1_000_000
	b.rounds = trial
	v, err := b.spin(trial)
	if err != nil {
		t.Fatal(err)
	}
	b.rounds = int(trial * ms * 1e6 / v["quickest tenth"])
	fmt.Printf("a run is %d rounds of arithmetic, %.1f ms where nobody comes between; %s asks for the samples\n", b.rounds, ms, b.lead)
}

func (b *bench) spin(rounds int) (map[string]float64, error) {
	out, err := exec.Command(b.program, "spin", strconv.Itoa(rounds)).Output()
	if err != nil {
		return nil, fmt.Errorf("run work: %w", err)
	}
	values := map[string]float64{}
	for i, text := range strings.Fields(string(out))[:len(measured)] {
		if values[measured[i].Name], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// compare makes one comparison and writes what was said of each metric down.
func (b *bench) compare(more float64, seed uint64) error {
	s := Session{Plan: Plan{Control: "base", Arm: "new", Seed: seed}}
	var lead Metric
	for _, m := range measured {
		if m.Name == b.lead {
			lead = m
		}
	}
	began := time.Now()
	for {
		a, err := Judge(s, lead, b.rule)
		if err != nil {
			return err
		}
		if a.next == 0 {
			return b.keep(s, more, time.Since(began))
		}
		for range a.next {
			for _, place := range s.Plan.Round(len(s.Samples) / Slots) {
				rounds := b.rounds
				if place.Arm == "new" {
					rounds = int(float64(rounds) * (1 + more))
				}
				values, err := b.spin(rounds)
				if err != nil {
					return err
				}
				s.Samples = append(s.Samples, Sample{Place: place, At: time.Now(), Values: values})
			}
		}
	}
}

// keep appends a comparison to the journal.
func (b *bench) keep(s Session, more float64, took time.Duration) error {
	r := result{lead: b.lead, more: more, samples: len(s.Samples) / 2, took: took}
	for _, m := range measured {
		a, err := Judge(s, m, b.rule)
		if err != nil {
			return err
		}
		r.said = append(r.said, a.Verdict)
		r.ratios = append(r.ratios, a.Ratio)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, err := os.OpenFile(b.journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, r.line()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
