package propose

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"gpuci/gates/config"
)

// FuzzCut: the tokens of a line are the line, and a number among them is one.
func FuzzCut(f *testing.F) {
	for _, s := range []string{"worst rel 6.3e-7 on d_g", "a=1/2 b=-3.", "v1.2.3 12:30 1,234 0x1f 5ms 3d", "µ−1 \t\xff", "1e", "-.5e+3x", "1.e5.", "+-+5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var b strings.Builder
		for _, tok := range cut(line) {
			if tok.text == "" {
				t.Fatalf("an empty token in %q", line)
			}
			b.WriteString(tok.text)
			if tok.kind != number {
				continue
			}
			if _, err := strconv.ParseFloat(tok.text, 64); err != nil && !strings.Contains(err.Error(), "range") {
				t.Errorf("%q of %q is no number", tok.text, line)
			}
		}
		if b.String() != line {
			t.Errorf("got %q, want %q", b.String(), line)
		}
	})
}

// FuzzTOML: what is written is read as it was.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", `a"b\c`, "it's", "new\nline", "\x00\x7f\u0085", "'''", `\u0041`, "tab\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		var got struct{ K string }
		if err := toml.Unmarshal([]byte("k = "+config.TOMLString(s)+" # "+printable(s)+"\n"), &got); err != nil || got.K != s {
			t.Errorf("%q: got %q, %v", s, got.K, err)
		}
	})
}

// FuzzLearn: whatever is printed, what is proposed loads, and what has a patch
// loads patched.
func FuzzLearn(f *testing.F) {
	for _, log := range []string{
		richLog, "a=1 b=2\na=0 b=2\n", "rel 1e-7 rel 2e-7\nrel 3e-7", "x ' \" \\ rel 1e-7 on '\n", "gpuci:metric name=a.b value=1e-9 unit=ms x=y\n",
		"shape [1,2] (3,4) chunks=007\n", "BenchmarkX-8 1 2 ns/op\nx time: [1 ms 2 ms 3 ms]\n", "rel 1e999 rel -0 err 5e-324\n", "value=1 value=2 min=3/0 _=1/1 a-b=2 nan=0",
		"err 1e-7 on value\nerr 1.7976931348623157e308", "a rel 1 ms/s 5%\n% 5 x 5x", "loss=-5 loss=0\nspeedup -1x",
	} {
		f.Add(log, twoGates)
		f.Add(log, "[[gate]]\nname=\"first\"\nrun=[\"x\"]\nreader=\"none\"")
	}
	f.Fuzz(func(t *testing.T, log, text string) {
		g := config.Gate{Name: "first", Reader: "none"}
		if cfg, err := load(text); err == nil {
			if own, ok := cfg.Gate("first"); ok {
				g = *own
			}
		}
		p, err := Learn(g, strings.NewReader(log), Facts{Config: text, Ran: 3})
		if err != nil {
			t.Fatal(err)
		}
		if p.Diff == "" {
			return
		}
		if after, ok := applied(text, p.Diff); !ok {
			t.Errorf("the patch does not apply:\n%s", p.Diff)
		} else if err := Check(after); err != nil {
			t.Errorf("%v\n%s", err, after)
		}
	})
}

// FuzzSplice: a diff makes of a text what was made of it.
func FuzzSplice(f *testing.F) {
	f.Add("a\nb\nc\n", uint16(1), uint16(3), true)
	f.Add("a\nb", uint16(2), uint16(2), false)
	f.Add("a\r\nb\r\n"+strings.Repeat("x\r\n", 30), uint16(0), uint16(29), true)
	f.Fuzz(func(t *testing.T, text string, first, second uint16, remove bool) {
		if text == "" {
			return
		}
		edits := []edit{{line: int(first) % 40, insert: []string{"new", "lines"}}, {line: int(second) % 40, insert: []string{"more"}}}
		if remove {
			edits[1].remove = 1
		}
		after, diff, err := splice(text, edits)
		if err != nil {
			return
		}
		got, ok := applied(text, diff)
		if d := cmp.Diff(after, got); !ok || d != "" {
			t.Errorf("applies: %v\n%s\n%s", ok, d, diff)
		}
	})
}

// applied is a small patch(1): it takes every hunk at its own line, and wants
// every line of its context.
func applied(text, diff string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	at := 0
	body := strings.SplitAfter(diff, "\n")
	for i := 2; i < len(body); i++ {
		line := body[i]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], "\\") {
			line = strings.TrimSuffix(line, "\n")
		}
		switch {
		case line == "" || line[0] == '\\':
		case line[0] == '@':
			from, n, _ := strings.Cut(strings.TrimPrefix(strings.Fields(line)[1], "-"), ",")
			to, err := strconv.Atoi(from)
			if n != "0" {
				to--
			}
			if err != nil || to < at || to > len(lines) {
				return "", false
			}
			b.WriteString(strings.Join(lines[at:to], ""))
			at = to
		case line[0] == '+':
			b.WriteString(line[1:])
		case at >= len(lines) || lines[at] != line[1:]:
			return "", false
		default:
			if line[0] == ' ' {
				b.WriteString(lines[at])
			}
			at++
		}
	}
	return b.String() + strings.Join(lines[at:], ""), true
}
