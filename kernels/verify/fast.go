package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gpuci/kernels/launch"
)

// fast are the functions of CUDA that trade digits for speed ("Intrinsic Functions" in
// the CUDA C++ Programming Guide). The host computes them as the exact ones: what it says
// of them is true of other kernels than those that a device will run.
var fast = regexp.MustCompile(`\b__(?:expf|exp10f|logf|log2f|log10f|powf|sinf|cosf|tanf|sincosf|tanhf|fdividef)\b`)

// fastFlags ask a device's compiler for the same everywhere.
var fastFlags = regexp.MustCompile(`^--?(?:use_fast_math|ftz(?:=true|$)|prec-div(?:=false|$)|prec-sqrt(?:=false|$))`)

// Fast says whether a flag of nvcc makes it compute less exactly than the sources ask
// for.
func Fast(flag string) bool { return fastFlags.MatchString(flag) }

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"`)

// notJudged are the fast functions in sources, and in what these include from beside
// them.
func notJudged(sources []string) ([]launch.Finding, error) {
	var list []launch.Finding
	seen := make(map[string]bool)
	for len(sources) > 0 {
		path := filepath.Clean(sources[0])
		sources = sources[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		code := withoutComments(string(text))
		for _, m := range include.FindAllStringSubmatch(string(text), -1) {
			if next := filepath.Join(filepath.Dir(path), m[1]); isFile(next) {
				sources = append(sources, next)
			}
		}
		for i, line := range strings.Split(code, "\n") {
			for _, name := range fast.FindAllString(line, -1) {
				list = append(list, fastAt(filepath.Base(path), i+1, name))
			}
		}
	}
	return list, nil
}

func fastAt(file string, line int, name string) launch.Finding {
	return launch.Finding{
		Kind: NotJudged, File: file, Line: line, Memory: name, Count: 1,
		Text: fmt.Sprintf("%s: %s at %s:%d is less exact on a device, and exact on the host, so that these numbers say nothing of it", NotJudged, name, file, line),
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// withoutComments puts blanks for what stands in comments and strings, line ends kept.
func withoutComments(code string) string {
	text := []byte(code)
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"' || text[i] == '\'' && (i == 0 || !letter(text[i-1])):
			for quote := text[i]; i+1 < len(text) && text[i+1] != quote && text[i+1] != '\n'; i++ {
				if text[i+1] == '\\' {
					i++
				}
				if i+1 < len(text) && text[i+1] != '\n' {
					text[i+1] = ' '
				}
			}
			i++
		case strings.HasPrefix(string(text[i:min(i+2, len(text))]), "//"):
			for ; i < len(text) && text[i] != '\n'; i++ {
				text[i] = ' '
			}
		case strings.HasPrefix(string(text[i:min(i+2, len(text))]), "/*"):
			end := len(text)
			if n := strings.Index(string(text[i+2:]), "*/"); n >= 0 {
				end = i + 2 + n + 2
			}
			for ; i < end; i++ {
				if text[i] != '\n' {
					text[i] = ' '
				}
			}
			i--
		}
	}
	return string(text)
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
