package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"gpuci/kernels/simt"
)

// refusedByCompiler says what the compiler said of a source, the first error once more at the
// end, where whoever reads the last lines of a log finds it.
func (a *app) refusedByCompiler(e *simt.CompileError) {
	errors := compilerErrors(e.Source, e.Output)
	a.console.note(e.Source + " does not compile:")
	a.console.raw(printableLines(errors + "\n"))
	if first := firstError.FindString(errors); first != "" {
		a.console.note("build failed: " + first)
	}
}

var (
	firstError = regexp.MustCompile(`(?m)^\S+:\d.*`)
	said       = regexp.MustCompile(`^([^\s:][^:]*):(?:\d+:)*(?:\d+:)? (?:(fatal error|error|warning|note): )?`)
	included   = regexp.MustCompile(`^(?:In file included from|\s+from) |: In |: At |required from|in expansion of`)
)

// compilerErrors are the errors of a compiler's output with the lines of the source that
// it shows below them. What it says of our own header, of warnings and of how it came to
// a line, is left out, unless nothing were left.
func compilerErrors(source, output string) string {
	var kept []string
	keep := false
	for line := range strings.SplitSeq(output, "\n") {
		m := said.FindStringSubmatch(line)
		switch {
		case included.MatchString(line):
			keep = false
		case strings.HasPrefix(line, "simt:"):
			keep = true
		case m != nil:
			keep = (m[2] == "" || strings.HasSuffix(m[2], "error")) && ofSource(source, m[1])
		case !strings.HasPrefix(line, " "): // "2 errors generated."
			keep = false
		}
		if keep {
			kept = append(kept, line)
		}
	}
	if len(kept) == 0 {
		return output
	}
	return strings.Join(kept, "\n")
}

// ofSource says whether a file is the source, or one that it may include: the runtime's
// are called .h.
func ofSource(source, file string) bool {
	name := filepath.Base(file)
	return name == filepath.Base(source) || strings.HasSuffix(name, ".cuh") || strings.HasSuffix(name, ".cu")
}
