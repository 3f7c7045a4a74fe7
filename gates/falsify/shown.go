package falsify

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// shown holds a verdict against a fault's must; "" where it is as it says.
func shown(must string, v gates.Verdict) string {
	word, name, _ := strings.Cut(must, ":")
	switch word {
	case "", config.MustRed:
	case config.MustTime:
		if v.Outcome != gates.OutOfTime {
			return fmt.Sprintf("the gate is %s, not out of time", v.Outcome)
		}
	case config.MustFail:
		if v.Tests == nil || !slices.ContainsFunc(v.Tests.Names, func(t string) bool { return isTest(t, name) }) {
			return fmt.Sprintf("no test %s failed, but %s", name, reason(v))
		}
	case config.MustWitness:
		for _, w := range v.Witnesses {
			if (config.Witness{Name: w.Name, Holds: w.Holds}).Is(name) && w.State == metric.Crossed {
				return ""
			}
		}
		return fmt.Sprintf("the witness %s holds, but %s", name, reason(v))
	case config.MustBroken:
		if v.Outcome != gates.Broken || !finds(v, name, gates.Broken) {
			return fmt.Sprintf("the gate is %s, not broken for %q: %s", v.Outcome, name, reason(v))
		}
	case config.MustFind:
		if !finds(v, name, "") && !(strings.EqualFold(name, raceName) && raced(v.Log)) {
			return fmt.Sprintf("no reason has %q: %s", name, reason(v))
		}
	}
	return ""
}

// isTest says whether a test that failed is the one that is named: by its whole
// name, or by the end of it as Rust has modules, or by its beginning as Go has
// subtests.
func isTest(failed, name string) bool {
	return failed == name || strings.HasSuffix(failed, "::"+name) || strings.HasPrefix(failed, name+"/")
}

// finds says whether a reason has a text in it, whatever its case, or is of that
// kind.
func finds(v gates.Verdict, text string, of gates.Outcome) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(v.Findings, func(x gates.Finding) bool {
		return (of == "" || x.Outcome == of) && (strings.Contains(strings.ToLower(x.Text), text) || string(x.Outcome) == text)
	})
}

// raceName is the one kind of finding that is told by the tools' own words: Go's
// detector, ThreadSanitizer and compute-sanitizer fail the test, and say why in the
// log alone.
const raceName = "race"

// maxLog bounds how much of a log is looked at, in bytes, from its beginning.
const maxLog = 64 << 20

func raced(log string) bool {
	f, err := os.Open(log)
	if err != nil {
		return false
	}
	defer f.Close()
	return anyLine(f, maxLog, func(line string) bool {
		return strings.HasPrefix(line, "WARNING: DATA RACE") || strings.HasPrefix(line, "WARNING: ThreadSanitizer: data race") ||
			strings.HasPrefix(line, "========= ") && strings.Contains(line, "Race reported")
	})
}

// anyLine says whether one of the lines of at most so many bytes is such. Lines
// that are longer than any message of a tool are looked at in pieces.
func anyLine(r io.Reader, most int64, is func(string) bool) bool {
	in := bufio.NewReaderSize(io.LimitReader(r, most), 64<<10)
	for {
		line, _, err := in.ReadLine()
		if err != nil {
			return false
		}
		if is(strings.TrimSpace(string(line))) {
			return true
		}
	}
}
