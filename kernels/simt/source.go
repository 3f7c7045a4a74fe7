package simt

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is a .cu file with what it includes.
type source struct {
	path    string
	text    string
	entries []string // names of its kernels
	dynamic []string // names of its extern __shared__ arrays, and of its headers'
	closure []string // names and texts of the headers
}

var (
	includeLine  = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)
	entryHead    = regexp.MustCompile(`([^{};]*)\b__global__\b[^{};()]*?\b(\w+)\s*\(`)
	launchBounds = regexp.MustCompile(`__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)`)
	dynamicArray = regexp.MustCompile(`\bextern\b[^;{}]*?\b__shared__\b[^;{}]*?\b(\w+)\s*\[\s*\]\s*;`)
)

// read reads a source and, as far as they are found, the headers that it names by
// #include, whatever the preprocessor would make of the lines around.
func read(path string, include []string) (source, error) {
	s := source{path: path}
	seen := map[string]bool{}
	text, err := s.follow(path, include, seen)
	if err != nil {
		return s, fmt.Errorf("read source: %w", err)
	}
	s.text = text
	for _, m := range entryHead.FindAllStringSubmatch(launchBounds.ReplaceAllString(strip(text), " "), -1) {
		template := strings.Contains(m[1], "template") // has no name to be launched by
		if !template && !slices.Contains(s.entries, m[2]) {
			s.entries = append(s.entries, m[2])
		}
	}
	return s, nil
}

// follow gives the text of a file, and follows what it includes.
func (s *source) follow(path string, include []string, seen map[string]bool) (string, error) {
	seen[path] = true
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := string(data)
	for _, m := range dynamicArray.FindAllStringSubmatch(strip(text), -1) {
		if !slices.Contains(s.dynamic, m[1]) {
			s.dynamic = append(s.dynamic, m[1])
		}
	}
	for _, m := range includeLine.FindAllStringSubmatch(text, -1) {
		for _, dir := range append([]string{filepath.Dir(path)}, include...) {
			at := filepath.Join(dir, m[1])
			if info, err := os.Stat(at); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if !seen[at] {
				header, err := s.follow(at, include, seen)
				if err != nil {
					return "", err
				}
				s.closure = append(s.closure, m[1], header)
			}
			break
		}
	}
	return text, nil
}

// strip puts a blank in place of each comment.
func strip(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			i += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return b.String()
			}
			b.WriteByte(' ')
			i += end + 4
		case rest[0] == '"':
			n := quoted(rest)
			b.WriteString(rest[:n])
			i += n
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String()
}

// quoted is the length of the string literal at the beginning of s.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		}
	}
	return len(s)
}

// unit is the text that is compiled: the source under its own lines, then the table of
// its kernels.
func (s source) unit() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#line 1 %q\n%s\n#line 1 \"kernels of %s\"\n", filepath.Base(s.path), s.text, filepath.Base(s.path))
	for i, name := range s.entries {
		fmt.Fprintf(&b, "static gpuci::Entry gpuci_entry_%d(%q, gpuci::Thunk<&%s>::call, gpuci::Thunk<&%s>::kinds);\n", i, name, name, name)
	}
	return b.String()
}

// sharedUnit gives the dynamic shared memory all of its names. Its size is that of
// dynamicSize in memory.h, what sm_90 has for a block.
func sharedUnit(sources []source) string {
	var b strings.Builder
	b.WriteString("extern \"C\" {\n__attribute__((aligned(128))) __thread unsigned char gpuci_dynamic[227 << 10];\n")
	var names []string
	for _, s := range sources {
		names = append(names, s.dynamic...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(&b, "extern __thread unsigned char %s[227 << 10] __attribute__((alias(\"gpuci_dynamic\")));\n", name)
	}
	b.WriteString("}\n")
	return b.String()
}
