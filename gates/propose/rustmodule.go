package propose

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	innerCfg  = regexp.MustCompile(`(?m)^\s*#!\[cfg\((.*)\)\]`)
	feature   = regexp.MustCompile(`feature\s*=\s*"([^"]+)"`)
	allOf     = regexp.MustCompile(`^(?:all\(|feature\s*=\s*"[^"]+"|[\s,)]|test\b)*$`)
	elsewhere = regexp.MustCompile(`^(?:target_os\s*=\s*"(macos|windows|ios|android|freebsd)"|(windows))$`)
	ownFlag   = regexp.MustCompile(`^\w+$`) // a word alone: --cfg or a build script sets it
	modLine   = regexp.MustCompile(`(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;`)
	modPath   = regexp.MustCompile(`(?m)^\s*#\[path\s*=\s*"([^"]+)"\]`)
	itemMacro = regexp.MustCompile(`(?m)^(?:\w+::)*(\w+)!\s*[({\[]`)
)

// modules are the files of an integration test, and the directories of its
// modules: those of tests/lib.rs stand beside it, in tests/, and so do those of
// the tests that are not its own.
func (r *rustSources) modules(file string) []string {
	dir, out := path.Dir(file), []string{file, strings.TrimSuffix(file, ".rs")}
	text := r.head(file)
	for _, m := range modPath.FindAllStringSubmatch(text, -1) {
		out = append(out, path.Join(dir, m[1]))
	}
	for _, m := range modLine.FindAllStringSubmatch(text, -1) {
		out = append(out, path.Join(dir, m[1]+".rs"), path.Join(dir, m[1]))
	}
	return slices.DeleteFunc(out, func(p string) bool { return !filepath.IsLocal(filepath.FromSlash(p)) })
}

// makesItems says that a file has a macro of somebody's at its top level, which
// may well make tests.
func (r *rustSources) makesItems(file string) bool {
	return slices.ContainsFunc(itemMacro.FindAllStringSubmatch(r.head(file), -1), func(m []string) bool {
		return !slices.Contains([]string{"thread_local", "lazy_static", "macro_rules", "static_assertions"}, m[1])
	})
}

// head is the text of a source, "" where it cannot be read.
func (r *rustSources) head(file string) string {
	data, err := readFile(filepath.Join(r.root, filepath.FromSlash(file)), maxText)
	if err != nil {
		return ""
	}
	return string(data)
}

// condition is the #![cfg(…)] of a file: without it the file compiles to nothing.
func (r *rustSources) condition(file string) string {
	if m := innerCfg.FindStringSubmatch(r.head(file)); m != nil {
		return m[1]
	}
	return ""
}

// gated are the features that a file asks for itself, where that is all it
// asks for.
func (r *rustSources) gated(file string) (out []string) {
	cfg := r.condition(file)
	if !allOf.MatchString(cfg) {
		return nil
	}
	for _, m := range feature.FindAllStringSubmatch(cfg, -1) {
		out = append(out, m[1])
	}
	return out
}

// otherSystem names the system, or the flag, that a file is for, where that is
// not what a plain cargo here gives.
func (r *rustSources) otherSystem(file string) string {
	cfg := strings.TrimSpace(r.condition(file))
	if m := elsewhere.FindStringSubmatch(cfg); m != nil {
		return "on " + m[1] + m[2]
	}
	if flag := ownFlag.FindString(cfg); flag != "" && !slices.Contains(plainFlags, flag) && !r.sets(file, flag) {
		return "with --cfg " + flag
	}
	return ""
}

// plainFlags hold in a debug build for tests here.
var plainFlags = []string{"test", "unix", "debug_assertions", "panic", "doc", "doctest", "overflow_checks"}

// sets says that a build script above a file speaks of a flag, which it may set.
func (r *rustSources) sets(file, flag string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if strings.Contains(r.head(path.Join(dir, "build.rs")), flag) {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}
