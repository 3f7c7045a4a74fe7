package propose

import (
	"regexp"
	"slices"
	"strings"
)

// class is what kind of number one is, which decides the limit it gets. Those
// that find defects come first.
type class int

const (
	unknown class = iota
	errorLike
	countLike // the same in every run: launches, allocations
	speedLike
	timeLike
	sizeLike
	lossLike
	axisLike  // what the run was made with: a shape, a count of heads
	indexLike // where in the run it was: a step, a line, a pid
)

// The words that tell. They are compared with the words of a metric's name.
var (
	errorWords = []string{"err", "error", "rel", "abs", "diff", "difference", "delta", "deviation", "residual", "mismatch", "ulp", "ulps", "rmse", "mse", "mae", "relerr", "abserr", "maxdiff", "drift"}
	speedWords = []string{"speedup", "throughput", "bandwidth", "tflops", "gflops", "flops", "utilization", "utilisation", "occupancy", "accuracy", "hitrate", "mfu"}
	lossWords  = []string{"loss", "perplexity", "ppl", "nll"}
	countWords = []string{"launches", "allocs", "syncs", "copies", "graphs"}
	axisWords  = []string{"chunks", "chunk", "batch", "heads", "seq", "seqlen", "len", "dim", "dims", "shape", "width", "height", "layers", "experts", "hidden", "vocab", "block", "tile", "tiles", "bs", "nheads", "size"}
	indexWords = []string{"step", "steps", "epoch", "iter", "iteration", "iterations", "line", "pid", "port", "seed", "rank", "gpu", "device", "thread", "threads", "attempt", "try", "id", "index", "round", "run", "runs", "sample", "samples", "case", "test", "tests", "row", "col", "t", "i", "j", "k", "n"}
	badWords   = []string{"declined", "decline", "failed", "failures", "failure", "fallback", "fallbacks", "nan", "nans", "inf", "infs", "skipped", "missed", "misses", "errors", "mismatches", "dropped", "retries", "spills", "spilled", "leaked", "timeouts", "oom", "bad", "lost"}
)

// units are the units that a word behind a number can be, as gates/metric
// spells them.
func unitOfWord(w string) string {
	switch w {
	case "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB", "KB", "MB", "GB", "x", "%", "GFLOPS", "TFLOPS":
		return w
	case "µs", "μs":
		return "us"
	case "sec", "secs", "second", "seconds":
		return "s"
	case "msec", "milliseconds":
		return "ms"
	case "bytes":
		return "B"
	case "min", "minutes":
		return "min"
	}
	if perSomething.MatchString(w) {
		return w
	}
	return ""
}

// perSomething is a rate ("GB/s", "tok/s") or a cost ("ns/op").
var perSomething = regexp.MustCompile(`^\w{1,8}/(?:s|sec|op|iter|token|step)$`)

// classify reads a metric's kind off its unit, then off its words.
func classify(words []string, unit string) class {
	has := func(list []string) bool {
		return slices.ContainsFunc(parts(words), func(w string) bool { return slices.Contains(list, w) })
	}
	amount, per, rate := strings.Cut(unit, "/")
	switch {
	case rate && (per == "s" || per == "sec"), unit == "x", strings.HasSuffix(unit, "FLOPS"):
		return speedLike
	case amount == "allocs":
		return countLike
	case slices.Contains([]string{"ns", "us", "ms", "s", "min"}, amount):
		return timeLike
	case amount != "" && strings.HasSuffix(amount, "B"):
		return sizeLike
	case has(errorWords):
		return errorLike
	case has(speedWords):
		return speedLike
	case has(lossWords):
		return lossLike
	case has(countWords):
		return countLike
	case len(words) > 0 && has(axisWords):
		return axisLike
	case has(indexWords):
		return indexLike
	}
	return unknown
}

// isBad says that a counter counts what ought not to happen.
func isBad(name string) bool {
	return slices.ContainsFunc(parts([]string{name}), func(w string) bool { return slices.Contains(badWords, w) })
}

// parts are the words of names: "max_err" has two.
func parts(names []string) (out []string) {
	for _, n := range names {
		out = append(out, strings.FieldsFunc(strings.ToLower(n), func(r rune) bool { return strings.ContainsRune("_-.", r) })...)
	}
	return out
}
