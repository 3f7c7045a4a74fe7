package build

import (
	"os"
	"slices"
	"strings"
)

// writing are nvcc's options that write files besides the output: over what stands
// there, in the directory of the workspace or wherever they say.
var writing = []string{"-keep", "--keep", "-keep-dir", "--keep-dir", "-save-temps", "--save-temps", "-time", "--time",
	"-fdevice-time-trace", "--fdevice-time-trace"}

// writingHost begin the options of the host compiler, GCC or clang, that do, most of them
// under names of their own making. -M alone of one letter is a kind of dependencies too.
var writingHost = []string{"-o", "--output", "-save-temps", "--save-temps", "-dump", "--dump", "-da", "-fdump-", "-aux-info", "-M",
	"--dependencies", "--user-dependencies", "--write-", "--M", "-ftest-coverage", "--coverage", "-coverage", "-fstack-usage", "-fcallgraph-info",
	"-gsplit-dwarf", "-fprofile-", "-ftime-trace", "-fsave-optimization-record", "-foptimization-record-file",
	"-fmodule", "-fcompare-debug", "-fada-spec", "-fproc-stat-report", "-fcrash-diagnostics", "-serialize-diagnostics", "--serialize-diagnostics",
	"-gen-cdb-fragment", "-index-store", "-dependency-file", "-stats-file", "-header-include-file", "-emit-"}

// readingHost begin those that name a file to read, or none at all.
var readingHost = []string{"-i", "-I", "-D", "-U", "-L", "-l", "-B", "-T", "-x", "@", "-specs", "--specs", "-fplugin", "-fprofile-use", "-fauto-profile",
	"-fsanitize", "-fxray", "-ffile-prefix-map", "-fmacro-prefix-map", "-fdebug-prefix-map", "-fcoverage-prefix-map", "--config", "-Wl,"}

const besides = " writes files besides the output, over what is there"

// writes is what of the options writes files elsewhere, and how that is known; "" for
// none. The lists have the options that are known to; one that nobody listed is refused
// if it names a file that is there, unless it is known to read it.
func (t *orders) writes() string {
	for _, w := range t.own {
		if name, _, _ := strings.Cut(w, "="); slices.Contains(writing, name) {
			return w + ":" + besides
		}
	}
	host := t.host
	if slices.ContainsFunc(t.own, func(w string) bool { return strings.Contains(w, "-forward-unknown") }) {
		// What nvcc does not know is one; that it knows begins like none of them.
		host = append(slices.Clone(host), slices.DeleteFunc(slices.Clone(t.own), func(w string) bool { return !strings.HasPrefix(w, "-") })...)
	}
	for i, w := range host {
		if hostWrites(w) {
			return w + ":" + besides
		}
		if file := t.namesFile(host, i); file != "" {
			return w + ": it names the file " + file + ", and may write over it"
		}
	}
	for i, w := range t.tools {
		if w == "-o" || strings.HasPrefix(w, "--output") {
			return w + ":" + besides
		}
		if file := t.namesFile(t.tools, i); file != "" {
			return w + ": it names the file " + file + ", and may write over it"
		}
	}
	for _, w := range t.ptxas {
		if strings.HasPrefix(w, "-o") && !strings.HasPrefix(w, "-opt") || strings.HasPrefix(w, "--output") {
			return w + ":" + besides
		}
	}
	return t.shell
}

// hostWrites is whether a word of the host compiler writes a file, or one that it hands to
// the assembler, whose listing is -a…=FILE.
func hostWrites(w string) bool {
	named := strings.Contains(w, "=")
	switch {
	case strings.HasPrefix(w, "-fprofile-use"):
		return false
	case strings.HasPrefix(w, "-fopt-info"), strings.HasPrefix(w, "-a") && !strings.HasPrefix(w, "-aux"):
		return named // without a name it is told on stderr or stdout
	case strings.HasPrefix(w, "-fdiagnostics-format="):
		return strings.HasSuffix(w, "-file")
	}
	return slices.ContainsFunc(writingHost, func(p string) bool { return strings.HasPrefix(w, p) })
}

// namesFile is the file that the word at i names, that is there, and that no option known
// to read has named.
func (t *orders) namesFile(all []string, i int) string {
	reads := func(w string) bool {
		return slices.ContainsFunc(readingHost, func(p string) bool { return strings.HasPrefix(w, p) })
	}
	w := all[i]
	if reads(w) || i > 0 && !strings.HasPrefix(w, "-") && reads(all[i-1]) {
		return ""
	}
	names := []string{w}
	for i := range len(w) {
		if strings.IndexByte("=,:", w[i]) >= 0 {
			names = append(names, w[i+1:])
		}
	}
	for _, name := range names {
		info, err := os.Stat(t.set.absolute(name))
		if name != "" && err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
