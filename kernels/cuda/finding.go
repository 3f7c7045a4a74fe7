package cuda

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"gpuci/kernels/launch"
)

var (
	place    = regexp.MustCompile(`(?:at |access at )([\w:~<>*&, ()]+?)(?:\([^()]*\))?(?:\+|:)0x[0-9a-fA-F]+(?: in (\S+?):(\d+))?`)
	thread   = regexp.MustCompile(`by threads? \((\d+),(\d+),(\d+)\)(?:-\(\d+,\d+,\d+\))? in block \((\d+),(\d+),(\d+)\)`)
	repeated = regexp.MustCompile(`\[(\d+) hazards?\]`)
)

// finding is an error of a report. What the program was told by the driver because of
// one (719, 700) is no other.
func finding(tool Tool, block []string) (f launch.Finding, ok bool) {
	if len(block) == 0 || strings.HasPrefix(block[0], failedCall) {
		return f, false
	}
	first := strings.TrimSuffix(block[0], ".")
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
	case has("target application returned"):
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
