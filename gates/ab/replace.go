package ab

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/gates/history"
)

// Replaces says by what a decision takes the place of an earlier one of its gate, "" where
// both stand: it looked at that again; it says the same of the same flags by the same
// metric; or both are wins, and no lane can have the flags of both.
func Replaces(late, early history.Decision) string {
	switch {
	case late.Again == early.ID:
		return "it was looked at again"
	case late.Gate != early.Gate || !late.At.After(early.At) || len(late.Flags) == 0:
		return ""
	case late.Metric == early.Metric && sameWords(late.Flags, early.Flags):
		return "it is of the same flags"
	case late.Verdict != "win" || early.Verdict != "win":
		return ""
	}
	for _, l := range late.Flags {
		for _, e := range early.Flags {
			if exclude(l, e) {
				return fmt.Sprintf("%s takes the place of %s", l, e)
			}
		}
	}
	return editsExclude(late, early)
}

// exclude says that two flags are never on together.
func exclude(a, b string) bool {
	name := func(flag string) string {
		of, isEnv := strings.CutPrefix(flag, "env:")
		of, _, _ = strings.Cut(of, "=")
		if !isEnv {
			return ""
		}
		return of
	}
	return a != b && name(a) != "" && name(a) == name(b)
}

// editsExclude says which edit of one text took the place of which, where one cannot stand
// in the other.
func editsExclude(late, early history.Decision) string {
	arms := func(d history.Decision) []Edit {
		list, err := ArmsOf(d)
		if err != nil { // it is of another gpuci's time
			return nil
		}
		return list[1].Edits
	}
	for _, l := range arms(late) {
		for _, e := range arms(early) {
			if l.File == e.File && l.From == e.From && !strings.Contains(l.To, e.To) && !strings.Contains(e.To, l.To) {
				return fmt.Sprintf("%q takes the place of %q in %s", l.To, e.To, l.File)
			}
		}
	}
	return ""
}

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
