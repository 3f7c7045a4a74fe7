package falsify

import (
	"bufio"
	"io"
	"os"
	"regexp"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// raceName is the one kind of finding that is told by the tools' own words: Go's
// detector, ThreadSanitizer and compute-sanitizer fail the test, and say why in the
// log alone.
const raceName = "race"

// maxLog bounds how much of a log is looked at, in bytes, from its beginning.
const maxLog = 64 << 20

func raced(log string) bool {
	n, _ := countLines(log, func(line string) bool {
		return strings.HasPrefix(line, "WARNING: DATA RACE") || strings.HasPrefix(line, "WARNING: ThreadSanitizer: data race") ||
			strings.HasPrefix(line, "========= ") && strings.Contains(line, "Race reported")
	})
	return n > 0
}

// vague says that any red at all shows a fault. Then a source that is none shows it as
// well as a defect does, and so does a gate that is red now and then.
func vague(f config.Fault) bool {
	word, name, _ := strings.Cut(f.Must, ":")
	if f.MustMove != "" {
		return false
	}
	return word == config.MustRed || word == config.MustBroken && name == "" ||
		word == config.MustFind && (name == string(gates.Red) || name == string(gates.Broken))
}

// notCompiled are the lines by which compilers and harnesses say that a source is none:
// cargo, go test, pytest where it reads the tests, and, where no reader knows the
// words of its harness, those that the usual compilers and interpreters have.
var (
	notCompiled = regexp.MustCompile("^error: could not compile `|^FAIL\\t.*\\[(build|setup) failed\\]$|^_+ ERROR collecting .* _+$")
	notASource  = regexp.MustCompile(`: line \d+: syntax error\b|^(SyntaxError|IndentationError|TabError): |^error\[E\d{4}\]: |^[^ :]+:\d+:\d+: (fatal )?error: |^[^ (]+\(\d+\): error: |: line \d+: .*: command not found$`)
)

// uncompiled is the line by which a red gate says that a source of its is none, which
// it does not say as often without the fault; "" where none does.
func uncompiled(g config.Gate, clean, v gates.Verdict) string {
	is := func(line string) bool {
		return notCompiled.MatchString(line) || !config.Counts(g.Reader) && notASource.MatchString(line)
	}
	now, first := countLines(v.Log, is)
	if before, _ := countLines(clean.Log, is); now <= before {
		return ""
	}
	return first
}

// countLines counts lines of a log, and gives the first. Those that are longer than
// any message of a tool are looked at in pieces.
func countLines(log string, is func(string) bool) (n int, first string) {
	f, err := os.Open(log)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.LimitReader(f, maxLog), 64<<10)
	for {
		line, _, err := in.ReadLine()
		if err != nil {
			return n, first
		}
		if text := strings.TrimSpace(string(line)); is(text) {
			if n++; n == 1 {
				first = text
			}
		}
	}
}
