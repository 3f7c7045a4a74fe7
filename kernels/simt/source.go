package simt

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is a .cu file.
type source struct {
	path    string
	text    string
	entries []string // names of its kernels
	bounds  []string // of each: what its __launch_bounds__ says of threads; "" for nothing
}

var (
	entryHead    = regexp.MustCompile(`([^{};]*)\b__global__\b[^{};()]*?\b(\w+)\s*\(`)
	launchBounds = regexp.MustCompile(`__launch_bounds__\s*\(((?:[^(),]|\([^()]*\))*)(?:,(?:[^()]|\([^()]*\))*)?\)`)
	boundsMark   = regexp.MustCompile(`\bgpuci_bounds_(\d+)\b`)
)

// read reads a source.
func read(path string) (source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, fmt.Errorf("read source: %w", err)
	}
	s := source{path: path, text: string(text)}
	var bounds []string
	marked := launchBounds.ReplaceAllStringFunc(strip(s.text), func(at string) string {
		bounds = append(bounds, launchBounds.FindStringSubmatch(at)[1])
		return fmt.Sprintf(" gpuci_bounds_%d ", len(bounds)-1)
	})
	for _, m := range entryHead.FindAllStringSubmatch(marked, -1) {
		template := strings.Contains(m[1], "template") // has no name to be launched by
		if template || slices.Contains(s.entries, m[2]) {
			continue
		}
		s.entries, s.bounds = append(s.entries, m[2]), append(s.bounds, "")
		if mark := boundsMark.FindStringSubmatch(m[0]); mark != nil {
			n, _ := strconv.Atoi(mark[1])
			s.bounds[len(s.bounds)-1] = bounds[n]
		}
	}
	return s, nil
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
		bound := ""
		if s.bounds[i] != "" {
			bound = fmt.Sprintf(", unsigned(%s)", s.bounds[i])
		}
		fmt.Fprintf(&b, "static gpuci::Entry gpuci_entry_%d(%q, gpuci::Thunk<&%s>::call, gpuci::Thunk<&%s>::kinds%s);\n", i, name, name, name, bound)
	}
	return b.String()
}
