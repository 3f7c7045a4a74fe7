package reader

import "bytes"

// packageEnd is the line with which go test ends a package.
type packageEnd struct {
	name    string
	failed  bool
	built   bool
	noFiles bool
	noTests bool
	cached  bool
}

// parsePackage reads
//
//	ok  	m/pkg	0.003s	coverage: 5.0% of statements
//	ok  	m/pkg	(cached) [no tests to run]
//	FAIL	m/pkg	0.003s
//	FAIL	m/pkg [build failed]
//	?   	m/pkg	[no test files]
func parsePackage(line []byte) (end packageEnd, ok bool) {
	word, rest, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		return end, false
	}
	name, rest, tabbed := bytes.Cut(rest, []byte("\t"))
	end.built = true
	switch string(word) {
	case "?   ":
		end.noFiles = true
		ok = string(rest) == "[no test files]"
	case "ok  ":
		end.cached = bytes.HasPrefix(rest, []byte("(cached)"))
		end.noTests = bytes.HasSuffix(rest, []byte("[no tests to run]"))
		ok = end.cached || isSeconds(rest)
	case "FAIL":
		end.failed = true
		ok = tabbed && isSeconds(rest)
		for _, why := range []string{" [build failed]", " [setup failed]"} {
			if bare, found := bytes.CutSuffix(name, []byte(why)); found && !tabbed {
				name, end.built, ok = bare, false, true
			}
		}
	default:
		return end, false
	}
	if !ok || len(name) == 0 || len(name) > maxName || bytes.IndexByte(name, ' ') >= 0 {
		return end, false
	}
	end.name = string(name)
	return end, true
}

// isSeconds reads the start of "0.003s" with anything behind a blank or tab.
func isSeconds(s []byte) bool {
	if i := bytes.IndexAny(s, " \t"); i >= 0 {
		s = s[:i]
	}
	digits, ok := bytes.CutSuffix(s, []byte("s"))
	if !ok {
		return false
	}
	whole, fraction, ok := bytes.Cut(digits, []byte("."))
	_, rest1, ok1 := cutNumber(whole)
	_, rest2, ok2 := cutNumber(fraction)
	return ok && ok1 && ok2 && len(rest1) == 0 && len(rest2) == 0
}

// isMeasurement reads a benchmark's line: its name, the number of iterations,
// and at least one value, with a tab before each.
func isMeasurement(line []byte) bool {
	name, rest, ok := bytes.Cut(line, []byte("\t"))
	if !ok || !bytes.HasPrefix(name, []byte("Benchmark")) {
		return false
	}
	if bytes.IndexByte(bytes.TrimRight(name, " "), ' ') >= 0 {
		return false
	}
	n, values, ok := bytes.Cut(rest, []byte("\t"))
	_, after, isNumber := cutNumber(bytes.TrimLeft(n, " "))
	return ok && isNumber && len(after) == 0 && len(bytes.TrimSpace(values)) > 0
}
