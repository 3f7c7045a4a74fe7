package propose

import (
	"regexp"
	"slices"
	"strings"
)

// The lines of benchmark harnesses name their numbers in a way of their own:
//
//	BenchmarkFFT-8   1000   1234 ns/op   12 B/op   3 allocs/op    testing, of Go
//	test fft ... bench:   123 ns/iter (+/- 5)                     libtest, of Rust
//	fft   time:   [1.2345 ms 1.2456 ms 1.2567 ms]                 Criterion
var (
	goBench        = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d`)
	rustBench      = regexp.MustCompile(`^test (\S+)\s+\.\.\. bench:`)
	criterion      = regexp.MustCompile(`^(\S+)\s+time:\s+\[`)
	pytestBenchRow = regexp.MustCompile(`^Name \(time in `)
)

// bench names the numbers of a benchmark's line, and says which of them are its
// results; ok is false for any other line.
func (s *shape) bench() (name string, results func(i int) bool, ok bool) {
	line := s.lines[0]
	if m := goBench.FindStringSubmatch(line); m != nil {
		return m[1], func(i int) bool { return i > 0 }, true // the first is how often it ran
	}
	if m := rustBench.FindStringSubmatch(line); m != nil {
		return m[1], func(i int) bool { return i == len(s.nums)-2 }, true // the last is how far off
	}
	if m := criterion.FindStringSubmatch(line); m != nil {
		return m[1], func(i int) bool { return i == 1 }, true // the estimate between its bounds
	}
	return "", nil, false
}

// readBench says what the numbers of a benchmark's line are.
func (s *shape) readBench(name string, results func(int) bool) (out []reading) {
	for i, n := range s.nums {
		r := reading{shape: s, index: i, from: 0, to: n.at + 1, class: indexLike}
		r.readUnit()
		if results(i) && r.unit != "" {
			r.class = classify(nil, r.unit)
			r.name = metricName(strings.Fields(name), r.unit)
			if strings.Contains(r.unit, "/") { // one line has several
				r.name = kebab(name + "-" + r.unit)
			}
		}
		out = append(out, r)
	}
	return out
}

// unread are kinds of lines whose numbers cannot be read safely, and why.
func (o *output) unread() (out []Left) {
	add := func(what, why string) {
		if l := (Left{what, why}); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	if o.pytestBench {
		add("the table of pytest-benchmark", "it chooses its unit by itself, and no row says which: print gpuci:metric lines, or fix the unit with --benchmark-time-unit and add a bar by hand")
	}
	if o.groups != "" {
		add(printable(o.groups), "its number is printed in groups of digits, which no pattern reads: print it as 1234.5")
	}
	if o.overlong > 0 {
		add("lines of more than 1 KiB", "they were not looked at")
	}
	if o.shapes.full {
		add("lines of more than 4000 kinds", "only the first kinds were looked at")
	}
	return out
}
