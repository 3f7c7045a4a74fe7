//go:build bench && linux

package judge

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// result is one comparison: what was said of each of the measured metrics.
type result struct {
	lead    string
	more    float64
	samples int // of each arm
	took    time.Duration
	said    []Verdict
	ratios  []float64
}

// line is the result in the journal: fields with a tab between them.
func (r result) line() string {
	fields := []string{r.lead, fmt.Sprint(r.more), strconv.Itoa(r.samples), r.took.String()}
	for i := range r.said {
		fields = append(fields, string(r.said[i]), fmt.Sprintf("%.5f", r.ratios[i]))
	}
	return strings.Join(fields, "\t")
}

// readResults reads a journal. A line that was cut off is left out.
func readResults(t *testing.T, journal string) []result {
	t.Helper()
	text, err := os.ReadFile(journal)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []result
	for line := range bytes.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(fields) != 4+2*len(measured) {
			continue
		}
		r := result{lead: fields[0]}
		var err [3]error
		r.more, err[0] = strconv.ParseFloat(fields[1], 64)
		r.samples, err[1] = strconv.Atoi(fields[2])
		r.took, err[2] = time.ParseDuration(fields[3])
		for i := 4; i < len(fields); i += 2 {
			ratio, _ := strconv.ParseFloat(fields[i+1], 64) // 0 where there is none yet
			r.said, r.ratios = append(r.said, Verdict(fields[i])), append(r.ratios, ratio)
		}
		if err == [3]error{} {
			all = append(all, r)
		}
	}
	return all
}

// report prints how often what was said, by who asked for the samples and by effect.
func report(all []result) {
	for _, lead := range measured {
		for _, e := range effects {
			var of []result
			for _, r := range all {
				if r.lead == lead.Name && r.more == e.more {
					of = append(of, r)
				}
			}
			if len(of) == 0 {
				continue
			}
			slices.SortFunc(of, func(a, b result) int { return a.samples - b.samples })
			fmt.Printf("%g %% more work, %s asks for the samples: %d comparisons of %d; samples of each arm: median %d, p95 %d\n",
				100*e.more, lead.Name, len(of), e.target, of[len(of)/2].samples, of[len(of)*95/100].samples)
			for i, m := range measured {
				fmt.Printf("  %-15s %s\n", m.Name, rates(of, i, e.more))
			}
		}
	}
}

// rates is how often each verdict was given of a metric, and of those that matter the
// 95 % interval.
func rates(of []result, metric int, more float64) string {
	counts := map[Verdict]int{}
	var off []float64
	for _, r := range of {
		counts[r.said[metric]]++
		off = append(off, math.Abs(r.ratios[metric]-1-more))
	}
	slices.Sort(off)
	text := fmt.Sprintf("worse %d, win %d, tie %d, cannot say %d; ratio off by %.2f %% (median)",
		counts[Worse], counts[Win], counts[Tie], counts[CannotSay], 100*off[len(off)/2])
	wrong, what := counts[Win], "wrong"
	if more == 0 {
		wrong += counts[Worse]
	}
	text += fmt.Sprintf("; %s %s", what, share(wrong, len(of)))
	if more > 0 {
		text += "; found " + share(counts[Worse], len(of))
	}
	return text
}

// share writes k of n with its interval by Clopper and Pearson, 95 %.
func share(k, n int) string {
	low, high := 0.0, 1.0
	if k > 0 {
		low = root(func(p float64) bool { return 1-upToChance(k-1, n, p) >= 0.025 })
	}
	if k < n {
		high = root(func(p float64) bool { return upToChance(k, n, p) <= 0.025 })
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*float64(k)/float64(n), 100*low, 100*high)
}

// upToChance is that of at most k successes of n.
func upToChance(k, n int, p float64) float64 {
	var sum float64
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// root is the smallest p for which a condition that stays true becomes true.
func root(from func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 50 {
		if p := (low + high) / 2; from(p) {
			high = p
		} else {
			low = p
		}
	}
	return high
}
