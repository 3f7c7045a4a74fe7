package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gpuci/kernels/launch"
)

// The lines of a report, as the Compute Sanitizer User Manual shows them: each begins
// with "=========", what belongs to an error is indented below its first line, and a
// line with SUMMARY closes it all.
const mark = "========="

var (
	summary  = regexp.MustCompile(`^ERROR SUMMARY: (\d+) errors?\b`)
	hazards  = regexp.MustCompile(`^RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)`)
	internal = regexp.MustCompile(`(?i)^(?:internal (?:sanitizer|compute sanitizer) error|fatal|sanitizer (?:failed|error)|error: (?:no attached|target application|process|unable|could not|failed|unsupported|device|no )|.*(?:not supported on this device|device not supported|terminated before first instrumented|unable to patch|not instrumented|fail(?:ed|ure) to (?:patch|instrument)))`)
)

// ParseReport reads a tool's report to its end: what it found, none for a clean one. A
// report without its head or the tool's own summary, or one in which the tool speaks of
// its own failure, is a *[ReportError]; so is one without errors that says something that
// is not known here, which may be why there are none.
func ParseReport(tool Tool, text string) (list []launch.Finding, err error) {
	r := report{tool: tool, most: -1}
	for line := range strings.Lines(text) {
		rest, ours := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark)
		if !ours {
			continue // the program's own words
		}
		if err := r.line(rest); err != nil {
			return nil, err
		}
	}
	r.shut()
	switch {
	case !r.begun:
		return nil, &ReportError{tool, "it has no first line, as of a tool that never began"}
	case r.most < 0:
		return nil, &ReportError{tool, "it has no summary of its own, as of a tool that was ended or never began"}
	case r.most <= r.calls && len(r.list) == 0 && r.unknown != "":
		return nil, &ReportError{tool, fmt.Sprintf("beside no errors it says %q, which is not known here", r.unknown)}
	case r.most > r.calls && len(r.list) == 0: // in words that we do not know
		r.list = append(r.list, launch.Finding{Kind: tool.Sees(), Count: r.most, Text: fmt.Sprintf("%s: %d errors, which its report names in words that are not known here", tool, r.most)})
	}
	return r.list, nil
}

// report is one that is being read.
type report struct {
	tool    Tool
	list    []launch.Finding
	block   []string // lines of one error
	begun   bool     // it has its head
	most    int      // the most errors that a summary of the tool's counts; -1: none yet
	calls   int      // of them, calls to the driver that failed, which are counted and are no access
	unknown string   // the first line that nobody here knows
}

// head is the first line of every report.
const head = "COMPUTE-SANITIZER"

// line takes a line without its mark.
func (r *report) line(rest string) error {
	said := strings.TrimSpace(rest)
	counted, own := summed(r.tool, said)
	switch {
	case said == head && !r.begun:
		r.begun = true
	case said == head:
		return &ReportError{r.tool, "it has two beginnings, as of two reports"}
	case internal.MatchString(said):
		return &ReportError{r.tool, said}
	case said == "":
		r.shut()
	case counted >= 0:
		r.shut()
		if own {
			r.most = max(r.most, counted)
		} else {
			r.unheard(said)
		}
	case r.most >= 0:
		r.unheard(said) // behind the summary
	case len(r.block) > 0 && (strings.HasPrefix(rest, "     ") || strings.HasPrefix(said, "and ")):
		r.block = append(r.block, said)
	default:
		r.shut()
		r.block = []string{said}
	}
	return nil
}

// summed is the number of errors that a summary counts, -1 for what is none, and whether
// it is the one that ends the tool's report.
func summed(tool Tool, said string) (n int, own bool) {
	if m := summary.FindStringSubmatch(said); m != nil {
		return number(m[1]), tool != Racecheck
	}
	if m := hazards.FindStringSubmatch(said); m != nil {
		return max(number(m[1]), number(m[2])+number(m[3])), tool == Racecheck
	}
	return -1, false
}

// shut ends an error's lines.
func (r *report) shut() {
	if len(r.block) == 0 {
		return
	}
	f, ok := finding(r.tool, r.block)
	switch {
	case ok:
		r.list = append(r.list, f)
	case strings.HasPrefix(r.block[0], failedCall):
		r.calls++
	case !byTheWay(r.block[0]):
		r.unheard(r.block[0])
	}
	r.block = nil
}

func (r *report) unheard(said string) {
	if r.unknown == "" {
		r.unknown = said
	}
}

// failedCall begins the lines of a call to the driver that gave an error: the program is
// told of it, too.
const failedCall = "Program hit "

// byTheWay is what a report says beside errors: of the program's own end, and of memory
// that it kept, which is an error's line where it is one.
func byTheWay(said string) bool {
	for _, start := range []string{"Target application returned", "LEAK SUMMARY: 0 bytes leaked in 0 allocations"} {
		if strings.HasPrefix(said, start) {
			return true
		}
	}
	return false
}

// number is a count of a report; one beyond all counts is a large one.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1 << 30
	}
	return n
}
