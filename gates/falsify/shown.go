package falsify

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// shown holds a verdict against a fault's must: why is "" where it is as it says.
// It is unsure where what was kept of the run is not enough to say so.
func shown(must string, v gates.Verdict) (why string, unsure bool) {
	word, name, _ := strings.Cut(must, ":")
	switch word {
	case "", config.MustRed:
	case config.MustTime:
		if v.Outcome != gates.OutOfTime {
			return fmt.Sprintf("the gate is %s, not out of time", v.Outcome), false
		}
	case config.MustFail:
		return testFailed(name, v)
	case config.MustWitness:
		for _, w := range v.Witnesses {
			if (config.Witness{Name: w.Name, Holds: w.Holds}).Is(name) && w.State == metric.Crossed {
				return "", false
			}
		}
		return fmt.Sprintf("the witness %s holds, but %s", name, reason(v)), false
	case config.MustBroken:
		if v.Outcome != gates.Broken || !finds(v, name, gates.Broken) {
			return fmt.Sprintf("the gate is %s, not broken for %q: %s", v.Outcome, name, reason(v)), false
		}
	case config.MustFind:
		if !finds(v, name, "") && !(strings.EqualFold(name, raceName) && raced(v.Log)) {
			return fmt.Sprintf("no reason has the words %q (the names of tests, metrics and files in it do not count): %s", name, reason(v)), false
		}
	}
	return "", false
}

// testFailed says why a test is not known to have failed.
func testFailed(name string, v gates.Verdict) (why string, unsure bool) {
	if v.Tests == nil {
		return fmt.Sprintf("no test %s failed, but %s", name, reason(v)), false
	}
	if slices.ContainsFunc(v.Tests.Names, func(t string) bool { return isTest(t, name) }) {
		return "", false
	}
	if named := len(v.Tests.Names); v.Tests.Failed > named && named > 0 {
		return fmt.Sprintf("%d tests failed, and %s is not among the first %d, whose names are kept", v.Tests.Failed, name, named), true
	}
	return fmt.Sprintf("no test %s failed, but %s", name, reason(v)), false
}

// isTest says whether a test that failed is the one that is named: by its whole
// name, or by the end of it as Rust and pytest have modules, or by its beginning as Go
// has subtests and pytest has parameters.
func isTest(failed, name string) bool {
	if failed == name || strings.HasSuffix(failed, "::"+name) || strings.HasPrefix(failed, name+"/") {
		return true
	}
	// The parameters can be any text: the first bracket after the last :: in front of
	// them begins them.
	base, _, with := strings.Cut(failed, "[")
	return with && strings.HasSuffix(failed, "]") && (base == name || strings.HasSuffix(base, "::"+name))
}

// finds says whether a reason has some words in it, whatever their case, or is of that
// kind. What others have named counts for nothing: a metric finance-rel is no nan, and
// a test TestTrace no race.
func finds(v gates.Verdict, text string, of gates.Outcome) bool {
	names := namesIn(v)
	return slices.ContainsFunc(v.Findings, func(x gates.Finding) bool {
		if of != "" && x.Outcome != of {
			return false
		}
		if text == "" || strings.EqualFold(string(x.Outcome), text) {
			return true
		}
		said, _, _ := strings.Cut(x.Text, ", in: ") // and the command
		for _, name := range names {
			said = blank(said, name)
		}
		_, found := wordsAt(said, text, 0)
		return found
	})
}

// namesIn are the names that the reasons of a verdict may have in them, the longest
// first, so that one which is part of another does not leave the rest behind.
func namesIn(v gates.Verdict) (names []string) {
	if v.Tests != nil {
		names = append(names, v.Tests.Names...)
	}
	for _, m := range v.Metrics {
		names = append(names, m.Metric)
		for _, s := range m.Series {
			names = append(names, s.Labels)
		}
	}
	for _, b := range v.Bars {
		names = append(names, append([]string{b.Metric}, b.Parts...)...)
	}
	for _, w := range v.Witnesses {
		names = append(names, "witness "+w.Name)
	}
	// A test that is called 1 is not to be taken out of "exit status 1".
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.ContainsFunc(n, unicode.IsLetter) })
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(names)
}

// blank takes a name out of a text wherever it stands as one.
func blank(text, name string) string {
	for from := 0; ; {
		at, found := wordsAt(text, name, from)
		if !found {
			return text
		}
		text = text[:at] + "," + text[at+len(name):] // which is no word, and parts those beside it
		from = at + 1
	}
}

// wordsAt finds whole words in a text, whatever their case, from some byte on.
func wordsAt(text, words string, from int) (at int, found bool) {
	lower, words := strings.ToLower(text), strings.ToLower(words)
	if len(lower) != len(text) { // a letter whose other case is longer
		lower = text
	}
	for {
		i := strings.Index(lower[from:], words)
		if i < 0 {
			return 0, false
		}
		at = from + i
		if !joined(lower[:at], lower[at:]) && !joined(lower[:at+len(words)], lower[at+len(words):]) {
			return at, true
		}
		from = at + 1
	}
}

// joined says whether a text goes on as one word where it is cut: by a letter, or by
// what names and paths have between their letters.
func joined(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, n := utf8.DecodeRuneInString(after)
	if letter(last) && letter(first) {
		return true
	}
	const between = "-./:"
	if letter(last) && strings.ContainsRune(between, first) && first != utf8.RuneError {
		next, _ := utf8.DecodeRuneInString(after[n:])
		return letter(next)
	}
	if letter(first) && strings.ContainsRune(between, last) && last != utf8.RuneError {
		_, n := utf8.DecodeLastRuneInString(before)
		prior, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
		return letter(prior)
	}
	return false
}

func letter(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
