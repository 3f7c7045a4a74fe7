package lint

import (
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/lint/crates"
)

var (
	rustTest    = regexp.MustCompile(`#\[\s*(?:\w+::)*(?:\w*test\w*|rstest)\s*[\](]`)
	rustIgnore  = regexp.MustCompile(`#\[\s*ignore\s*(?:=\s*"([^"]*)"\s*)?\]`)
	rustIgnore2 = regexp.MustCompile(`#\[\s*cfg_attr\s*\(([^\]]*?),\s*ignore\s*(?:=\s*"([^"]*)"\s*)?\)\s*\]`)
	rustName    = regexp.MustCompile(`\bfn\s+(\w+)`)
	rustReturns = regexp.MustCompile(`\breturn\s*(?:;|\}|Ok\(\(\)\)|$)`)
	// What can fail a test, or hands that on to something that may.
	rustAsserts = regexp.MustCompile(`\b(?:\w*assert\w*|panic|unreachable|todo|unimplemented|insta)\s*!|\.(?:unwrap|expect|unwrap_err|expect_err)\(|\?;|\bErr\(|\b(?:\w*check|verify|assert|compare|expect|run)\w*\(`)
	rustLooks   = regexp.MustCompile(`env::|env!|\.exists\(|\.is_file\(|\.is_dir\(|cfg!|is_available|has_gpu|gpu_available|device_count`)
)

// rust looks through a file, whose modules stand in a module. It is searched by lines
// and braces.
func (u *unit) rust(c crates.Choice, module string) {
	code := crates.Blank(u.text)
	nest := crates.Nest(code)
	for _, m := range rustTest.FindAllStringIndex(code, -1) {
		name := rustName.FindStringSubmatchIndex(code[m[1]:])
		if name == nil || strings.ContainsAny(code[m[1]:m[1]+name[0]], "{}") {
			continue
		}
		test := code[m[1]+name[2] : m[1]+name[3]]
		if path := strings.Trim(strings.Join([]string{module, nest.At(m[0]), test}, "::"), ":"); !c.Runs(strings.ReplaceAll(path, "::::", "::")) {
			continue
		}
		above := strings.LastIndexAny(code[:m[0]], "};{") + 1
		if !c.Ignored {
			u.rustIgnored(c, above, m[1]+name[0], test)
		}
		if open := strings.IndexAny(code[m[1]+name[1]:], "{;"); open >= 0 && code[m[1]+name[1]+open] == '{' {
			u.rustBody(code, m[1]+name[1]+open+1, test)
		}
	}
}

// rustIgnored looks at the attributes of a test.
func (u *unit) rustIgnored(c crates.Choice, from, to int, test string) {
	head := u.text[from:to]
	reason := func(m []int, n int) string {
		if m[n] < 0 {
			return ""
		}
		return head[m[n]:m[n+1]]
	}
	if m := rustIgnore.FindStringSubmatchIndex(head); m != nil && !commented(head, m[0]) {
		u.ignored(from+m[0], test, "let it run, or take it out; -- --include-ignored runs such tests", reason(m, 2))
	} else if m := rustIgnore2.FindStringSubmatchIndex(head); m != nil && !commented(head, m[0]) {
		when := reason(m, 2)
		if f := without.FindStringSubmatch(when); elsewhere.MatchString(when) || f != nil && (c.AllFeatures || slices.Contains(c.Features, f[1])) {
			return
		}
		u.ignored(from+m[0], test, "let it run, or take it out; -- --include-ignored runs such tests", reason(m, 4))
	}
}

var without = regexp.MustCompile(`^not\(\s*feature\s*=\s*"([^"]+)"\s*\)$`)

// elsewhere are conditions that do not hold where a gate runs.
var elsewhere = regexp.MustCompile(`^(?:miri|windows|target_os\s*=\s*"(?:windows|macos|ios|android)"|debug_assertions)$`)

// commented says whether an offset stands in a comment to the end of the line.
func commented(text string, at int) bool {
	return strings.Contains(text[strings.LastIndexByte(text[:at], '\n')+1:at], "//")
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// rustBody looks at the lines of a test until the first that can fail it.
func (u *unit) rustBody(code string, at int, test string) {
	depth, condition := 1, ""
	for at < len(code) && depth > 0 {
		line, _, _ := strings.Cut(code[at:], "\n")
		trimmed := strings.TrimSpace(line)
		if rustAsserts.MatchString(line) && !rustLooks.MatchString(line) {
			return
		}
		if strings.HasPrefix(trimmed, "if ") || strings.HasPrefix(trimmed, "let ") && strings.Contains(line, " else ") || strings.HasPrefix(trimmed, "match ") {
			condition = strings.TrimSpace(u.text[at : at+len(line)])
		}
		switch i := rustReturns.FindStringIndex(line); {
		case i == nil:
		case depth == 1 && strings.HasPrefix(trimmed, "return"):
			u.early(at+i[0], test, "", true)
			return
		case rustLooks.MatchString(condition):
			u.early(at+i[0], test, " where "+strings.TrimSpace(strings.TrimSuffix(strings.Split(condition, "{")[0], " ")), false)
			return
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		at += len(line) + 1
	}
}
