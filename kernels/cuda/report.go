package cuda

import (
	"fmt"
	"path/filepath"
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
	internal = regexp.MustCompile(`(?i)^(?:internal (?:sanitizer|compute sanitizer) error|fatal|sanitizer (?:failed|error)|error: (?:no attached|target application|process|unable|could not|failed|unsupported|device|no )|.*(?:not supported on this device|device not supported|terminated before first instrumented))`)
	place    = regexp.MustCompile(`(?:at |access at )([\w:~<>*&, ()]+?)(?:\([^()]*\))?(?:\+|:)0x[0-9a-fA-F]+(?: in (\S+?):(\d+))?`)
	thread   = regexp.MustCompile(`by threads? \((\d+),(\d+),(\d+)\)(?:-\(\d+,\d+,\d+\))? in block \((\d+),(\d+),(\d+)\)`)
	repeated = regexp.MustCompile(`\[(\d+) hazards?\]`)
)

// ParseReport reads a tool's report to its end: what it found, none for a clean one. A
// report without its summary, or one in which the tool speaks of its own failure, is a
// *[ReportError].
func ParseReport(tool Tool, text string) (list []launch.Finding, err error) {
	end := -1
	var block []string
	shut := func() {
		if f, ok := finding(tool, block); ok {
			list = append(list, f)
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		rest, ours := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark)
		if !ours {
			continue // the program's own words
		}
		said := strings.TrimSpace(rest)
		switch {
		case internal.MatchString(said):
			return nil, &ReportError{tool, said}
		case said == "":
			shut()
		case summary.MatchString(said):
			shut()
			end = number(summary.FindStringSubmatch(said)[1])
		case hazards.MatchString(said):
			shut()
			m := hazards.FindStringSubmatch(said)
			end = max(number(m[1]), number(m[2])+number(m[3]))
		case strings.HasPrefix(rest, "     ") || strings.HasPrefix(said, "and "):
			block = append(block, said)
		default:
			shut()
			block = []string{said}
		}
	}
	if end < 0 {
		return nil, &ReportError{tool, "it has no summary, as of a tool that was ended or never began"}
	}
	if tool == Racecheck && !strings.Contains(text, "RACECHECK SUMMARY") {
		return nil, &ReportError{tool, "it has no summary of racecheck"}
	}
	if end > 0 && len(list) == 0 { // in words that we do not know
		list = append(list, launch.Finding{Kind: tool.Sees(), Count: end, Text: fmt.Sprintf("%s: %d errors, which its report names in words that are not known here", tool, end)})
	}
	return list, nil
}

// number is a count of a report; one beyond all counts is a large one.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1 << 30
	}
	return n
}

// finding is an error of a report. What the program was told by the driver because of
// one (719, 700) is no other.
func finding(tool Tool, block []string) (f launch.Finding, ok bool) {
	if len(block) == 0 {
		return f, false
	}
	first := block[0]
	if f.Kind, ok = kindOf(tool, first); !ok {
		return f, false
	}
	f.Count = 1
	address := ""
	if m := repeated.FindStringSubmatch(strings.Join(block, " ")); m != nil {
		f.Count = max(1, number(m[1]))
	}
	for _, line := range block {
		if strings.HasPrefix(line, "Saved host backtrace") || strings.HasPrefix(line, "Host Frame") {
			break
		}
		if m := place.FindStringSubmatch(line); m != nil {
			at := launch.Place{File: base(m[2]), Line: number("0" + m[3])}
			switch {
			case f.Kernel == "":
				f.Kernel, f.File, f.Line = strings.TrimSpace(m[1]), at.File, at.Line
			case f.Other == launch.Place{}:
				f.Other = at
			}
		}
		if m := thread.FindStringSubmatch(line); m != nil {
			f.Threads = append(f.Threads, [3]int{number(m[1]), number(m[2]), number(m[3])})
			f.Block = [3]int{number(m[4]), number(m[5]), number(m[6])}
		}
		if strings.HasPrefix(line, "Address ") || strings.HasPrefix(line, "Access ") {
			address = ", " + line
		}
	}
	f.Text = words(tool, first, f) + address
	return f, true
}

// base is a file without its directory, as other backends name it.
func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// kindOf tells errors from what a report says by the way.
func kindOf(tool Tool, first string) (launch.Kind, bool) {
	lower := strings.ToLower(first)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("race reported", "potential raw", "potential war", "potential waw", "hazard detected"):
		return launch.Race, true
	case has("uninitialized"):
		return launch.Uninitialised, true
	case has("barrier error", "divergent thread", "invalid arguments", "illegal use of barrier"):
		return launch.DivergentBarrier, true
	case has("invalid ", "out of bounds", "out-of-range", "misaligned", "illegal ", "stack overflow", "double free", "leaked "):
		return launch.OutOfBounds, true
	case has("program hit", "compute-sanitizer", "cuda-memcheck", "target application returned"):
		return "", false
	case has("warning"):
		return tool.Sees(), true
	case has("error"):
		return tool.Sees(), true
	}
	return "", false
}

// words is a finding in one line.
func words(tool Tool, first string, f launch.Finding) string {
	text := fmt.Sprintf("%s: %s", tool, first)
	if f.Kernel != "" && !strings.Contains(first, f.Kernel) {
		text += " in " + f.Kernel
	}
	if f.File != "" && !strings.Contains(first, f.File) {
		text += fmt.Sprintf(" at %s:%d", f.File, f.Line)
	}
	if f.Other.File != "" {
		text += fmt.Sprintf(", and %s:%d", f.Other.File, f.Other.Line)
	}
	if len(f.Threads) > 0 {
		t, b := f.Threads[0], f.Block
		text += fmt.Sprintf(", thread (%d,%d,%d) of block (%d,%d,%d)", t[0], t[1], t[2], b[0], b[1], b[2])
	}
	if f.Count > 1 {
		text += fmt.Sprintf(", %d times", f.Count)
	}
	return text
}
