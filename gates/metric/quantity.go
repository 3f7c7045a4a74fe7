package metric

import (
	"slices"
	"strings"
	"unicode"
)

// IsTime says whether a unit is one of time, however it is spelled.
func IsTime(unit string) bool {
	switch canonical(unit) {
	case "ps", "ns", "us", "ms", "s", "min", "h", "d":
		return true
	}
	return false
}

// IsSize says whether a unit is one of memory.
func IsSize(unit string) bool {
	switch canonical(unit) {
	case "B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB":
		return true
	}
	return false
}

// IsRate says whether a unit is something by a time or a time by something: "GB/s",
// "GFLOP/s/card", "ms/step", "tokens per second", "s^-1", "Gbps", "TFLOPS", "GHz".
func IsRate(unit string) bool {
	if parts := strings.Split(unit, "/"); len(parts) > 1 {
		return slices.ContainsFunc(parts, func(p string) bool { return IsTime(strings.TrimSpace(p)) })
	}
	if base, ok := strings.CutSuffix(strings.NewReplacer("^", "", "⁻¹", "-1", "−", "-").Replace(unit), "-1"); ok {
		return slices.ContainsFunc(strings.Fields(strings.NewReplacer("·", " ", "⋅", " ", "*", " ").Replace(base)), IsTime)
	}
	return timed(wordsOf(unit))
}

// Timed says whether a metric is a time or a rate, by its unit and by all words of its
// name: "bwd-ms", "tokens-per-second", "stepTime", "copy-gbps". The error or the count of
// something is none, whatever that is: "time-mix-rel", "launches".
func Timed(metric, unit string) bool {
	if unit = UnitOf(metric, unit); IsTime(unit) || IsRate(unit) {
		return true
	}
	words := wordsOf(metric)
	if plain(words) {
		return false
	}
	if i := slices.Index(words, "rate"); i >= 0 && unit != "%" && unit != "‰" && (i == 0 || !shares[words[i-1]]) {
		return true
	}
	return timed(words)
}

// Sized says whether a metric is an amount of memory, by its unit and its name:
// "peak-bytes", "pool-size", "vram".
func Sized(metric, unit string) bool {
	if unit = UnitOf(metric, unit); IsSize(unit) {
		return true
	}
	words := wordsOf(metric)
	return !plain(words) && slices.ContainsFunc(words, func(w string) bool { return sizeWords[w] })
}

// wordsOf are the words of a name or a unit in small letters, without digits behind
// them: "bwdMs50_p99" is bwd, ms, p.
func wordsOf(text string) (words []string) {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	for _, w := range strings.Fields(b.String()) {
		if w = strings.TrimRightFunc(w, unicode.IsDigit); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// plain says of the words of a name that the last is of a number for itself: how far
// something is off, or how many there are.
func plain(words []string) bool {
	return len(words) > 0 && plainWords[words[len(words)-1]]
}

// timed says whether one of some words is of a time or a rate, or a time stands behind
// "per".
func timed(words []string) bool {
	for i, w := range words {
		if timeWords[w] || slices.ContainsFunc(timeEnds, func(end string) bool { return strings.HasSuffix(w, end) }) {
			return true
		}
		if i > 0 && words[i-1] == "per" && IsTime(w) {
			return true
		}
	}
	return false
}

// timeEnds are ends of such words: "runtime", "tokspersec", "mbps", "gflops".
var timeEnds = []string{"time", "latency", "throughput", "bandwidth", "flops", "bps", "persec", "persecond"}

var timeWords = set(`ns us ms usec usecs msec msecs nsec nsecs sec secs seconds millis micros nanos milliseconds
	microseconds nanoseconds minutes hours µs μs timing timings duration durations elapsed wall wallclock speed speedup
	slowdown hz khz mhz ghz fps tps qps rps ips utilization utilisation util`)

var sizeWords = set("memory mem vram hbm pool heap kb mb gb tb kib mib gib tib kbytes mbytes gbytes")

var plainWords = set(`rel abs err error errors diff difference differences ulp ulps mismatch mismatches cos cosine rms
	count counts calls launches steps tokens allocs allocations findings`)

// shares are words before "rate" of which some are counted out of all.
var shares = set(`error miss hit fail failure mismatch pass success acceptance accept reject learning dropout compression
	nan zero drop sparsity recall positive negative flip`)

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
