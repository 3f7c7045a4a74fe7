package reaper

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// Kill is a leaked process that a sweep ended, as it was judged.
type Kill struct {
	Judged
	CPU  time.Duration // that it had used, with what it had waited for
	IO   *proc.IO      // nil where that was not ours to read
	Took time.Duration // from SIGKILL until it was seen to be gone, or until the end of the sweep
	// Earlier says that SIGKILL waited for it when the sweep came, which sent
	// none; Took is from then.
	Earlier bool
}

// Survivor is a leaked process that a sweep did not end.
type Survivor struct {
	Judged         // with State and Age as of the end of the sweep
	Sent    bool   // its SIGKILL was sent
	Pending bool   // SIGKILL waits for it to run, whoever sent it
	Waits   string // wait channel in the kernel, "" when unknown
	Err     error  // why nothing was sent; nil when it was, or its turn had not come
}

// String says what it is, and what keeps it. What it waits in is told of one
// that waits.
func (s Survivor) String() string {
	text := fmt.Sprintf("%s (pid %d, state %c, %s, %s old", s.Program(), s.PID, s.State, s.killText(), s.Age.Round(time.Second/10))
	if s.Waits != "" && s.State != 'R' {
		text += ", waits in " + s.Waits
	}
	return text + ")"
}

// killText is what became of its SIGKILL.
func (s Survivor) killText() string {
	switch {
	case s.Pending:
		return "SIGKILL pending"
	case s.Sent:
		return "SIGKILL sent, about to end"
	case s.Err != nil:
		return s.Err.Error()
	case s.Young:
		return "too young as yet: nothing was sent"
	}
	return "its turn had not come: nothing was sent"
}

// Program is Name, whole: the kernel cuts what a process calls itself after 15
// characters, and its program has the rest.
func (j Judged) Program() string {
	if base := filepath.Base(j.Exe.Path); j.Tool == "" && j.Exe.Known() && strings.HasPrefix(base, j.Comm) {
		return base
	}
	return j.Name()
}

// Report is what came of a sweep.
type Report struct {
	Swept     []Kill     // in the order in which they went
	Survivors []Survivor // parents before children
	Left      []Kill     // of the survivors those that this sweep sent their SIGKILL
	Leaked    []Judged   // of a dry run: what a sweep would have begun with
	Young     []Judged   // of a dry run: what it would have waited for, and ended then, unless it is of a Chain: one look cannot tell
	Chains    []Chain    // what never gets old enough to be ended
	Passes    int        // looks at the whole machine
	Quiet     bool       // the last ones in a row found nothing: nobody is left who was seen by none; false for a dry run
	Blind     []string   // what could not be looked at, and so was let be
}

// String is one line for people: "swept 19 leaked (lane kda; oldest 10m0s): 12
// rustc, 7 ld.mold".
func (r Report) String() string {
	var swept []Judged
	for _, k := range r.Swept {
		swept = append(swept, k.Judged)
	}
	var parts []string
	if len(swept) > 0 {
		parts = append(parts, "swept "+summary(swept))
	}
	if len(r.Leaked) > 0 {
		parts = append(parts, "would sweep "+summary(r.Leaked))
	}
	if len(r.Young) > 0 {
		parts = append(parts, "would sweep those that get old enough (one look cannot tell which) of "+summary(r.Young))
	}
	if len(r.Survivors) > 0 {
		var left []string
		for _, s := range r.Survivors {
			left = append(left, s.String())
		}
		parts = append(parts, fmt.Sprintf("%d not ended: %s", len(left), strings.Join(left, "; ")))
	}
	for _, c := range r.Chains {
		word := "goes on, and nothing was sent: "
		if c.Ended > 0 {
			word = "goes on: "
		}
		parts = append(parts, word+c.String())
	}
	if len(parts) == 0 {
		return "nothing leaked"
	}
	return strings.Join(parts, "; ")
}

// CutShort says that the time of a sweep was over before it could be told that
// nobody is left, "" of one that came to its end. Where there are survivors or
// chains, those say so.
func (r Report) CutShort() string {
	if r.Quiet || len(r.Survivors)+len(r.Chains) > 0 {
		return ""
	}
	return fmt.Sprintf("the time was over before two looks in a row found nothing; %d ended", len(r.Swept))
}

// summary counts processes by their tools.
func summary(list []Judged) string {
	count, lanes := make(map[string]int), make(map[string]bool)
	oldest := time.Duration(0)
	for _, j := range list {
		count[j.Program()]++
		if oldest = max(oldest, j.Age); j.Lane != "" {
			lanes[j.Lane] = true
		}
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", count[name], name)
	}
	word := "lane"
	if len(lanes) > 1 {
		word = "lanes"
	}
	return fmt.Sprintf("%d leaked (%s %s; oldest %s): %s", len(list), word, strings.Join(slices.Sorted(maps.Keys(lanes)), ", "),
		oldest.Round(time.Second), strings.Join(names, ", "))
}
