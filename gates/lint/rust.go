package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	rustTest   = regexp.MustCompile(`#\[(?:\w+::)*test(?:\([^\]]*\))?\]`)
	rustIgnore = regexp.MustCompile(`#\[ignore(?:\s*=\s*"([^"]*)")?\]`)
	rustName   = regexp.MustCompile(`fn\s+(\w+)`)
	// What can fail a test, or hands that on to something that may.
	rustAsserts = regexp.MustCompile(`\b(?:assert\w*|panic|unreachable|todo|unimplemented|prop_assert\w*|insta)\s*!|\.(?:unwrap|expect|unwrap_err|expect_err)\(|\?;|\bErr\(|\b(?:check|verify|assert|compare|expect)\w*\(`)
	rustLooks   = regexp.MustCompile(`env::|env!|\.exists\(|\.is_file\(|\.is_dir\(|cfg!|is_available|has_gpu|gpu_available|device_count`)
)

// rustTests looks through the Rust tests of a gate.
func (l *look) rustTests(words []string) {
	all := slices.Contains(words, "--include-ignored") || slices.Contains(words, "--ignored") || slices.Contains(words, "--run-ignored")
	dir := l.gate.Dir
	var paths []string
	for i, w := range words {
		name, ok := strings.CutPrefix(w, "--test=")
		if w == "--test" && i+1 < len(words) {
			name, ok = words[i+1], true
		}
		if ok {
			for _, p := range []string{name + ".rs", filepath.Join(name, "main.rs")} {
				paths = append(paths, l.files(dir, func(string) bool { return false })...)
				paths = append(paths, filepath.Join(dir, "tests", p))
			}
		}
	}
	if paths == nil {
		paths = l.files(dir, func(name string) bool { return strings.HasSuffix(name, ".rs") })
	}
	for _, p := range paths {
		if u, ok := l.readTests(p); ok {
			u.rust(all)
		}
	}
}

// rust looks through a file. It is searched by lines and braces.
func (u *unit) rust(all bool) {
	for _, m := range rustTest.FindAllStringIndex(u.text, -1) {
		from := strings.LastIndexByte(u.text[:m[0]], '\n') + 1
		if strings.Contains(u.text[from:m[0]], "//") {
			continue
		}
		name := rustName.FindStringSubmatchIndex(u.text[m[1]:])
		if name == nil {
			continue
		}
		head := u.text[m[0] : m[1]+name[0]]
		if strings.Count(head, "{") > 0 {
			continue
		}
		test := u.text[m[1]+name[2] : m[1]+name[3]]
		above := max(strings.LastIndex(u.text[:m[0]], "}"), strings.LastIndex(u.text[:m[0]], ";"), 0)
		if ig := rustIgnore.FindStringSubmatchIndex(u.text[above : m[1]+name[0]]); ig != nil && !all {
			reason := ""
			if ig[2] >= 0 {
				reason = u.text[above+ig[2] : above+ig[3]]
			}
			u.ignored(above+ig[0], test, reason)
		}
		if open := strings.IndexByte(u.text[m[1]+name[1]:], '{'); open >= 0 {
			u.rustBody(m[1]+name[1]+open+1, test)
		}
	}
}

// rustBody looks at the lines of a test until the first that can fail it.
func (u *unit) rustBody(at int, test string) {
	depth, condition := 1, ""
	for at < len(u.text) && depth > 0 {
		line, _, _ := strings.Cut(u.text[at:], "\n")
		code, _, _ := strings.Cut(line, "//")
		trimmed := strings.TrimSpace(code)
		if rustAsserts.MatchString(code) && !rustLooks.MatchString(code) {
			return
		}
		if strings.HasPrefix(trimmed, "if ") || strings.HasPrefix(trimmed, "let ") && strings.Contains(code, " else ") || strings.HasPrefix(trimmed, "match ") {
			condition = trimmed
		}
		switch i := strings.Index(code, "return"); {
		case i < 0 || !(strings.HasPrefix(code[i:], "return;") || strings.HasPrefix(code[i:], "return Ok(())")):
		case depth == 1 && strings.HasPrefix(trimmed, "return"):
			u.early(at, test, "", true)
			return
		case rustLooks.MatchString(condition):
			u.early(at, test, " where "+strings.TrimSuffix(strings.TrimSpace(condition), " {"), false)
			return
		}
		depth += strings.Count(code, "{") - strings.Count(code, "}")
		at += len(line) + 1
	}
}
