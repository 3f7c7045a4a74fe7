package metric

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamedGroups(t *testing.T) {
	for src, want := range map[string]string{
		`a(?P<value>b)c`:                      "value=b",
		`(x)(?<value>(y|z)+)`:                 "value=(y|z)+",
		`[(](?P<value>[)\]]+)`:                `value=[)\]]+`,
		`\((?P<value>\)+)`:                    `value=\)+`,
		`\Q(\E(?P<value>\d+)`:                 `value=\d+`,
		`[]()](?P<value>[^]]+)`:               `value=[^]]+`,
		`[[:alpha:](](?P<value>\d)(?P<x>\))$`: `value=\d x=\)`,
		`(?P<a>x(?P<b>y))(?:z)(w)`:            `a=x(?P<b>y) b=y`,
	} {
		var got []string
		for _, g := range namedGroups(src) {
			got = append(got, g.name+"="+src[g.from:g.to])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: got %q, want %q", src, text, want)
		}
		for _, compile := range []func(string) (*Pattern, error){Compile, CompileCounters} {
			if _, err := compile(src); err != nil {
				t.Errorf("%s: %v", src, err)
			}
		}
	}
}

func TestLiteral(t *testing.T) {
	for src, want := range map[string]string{
		worst:                                 "worst rel ",
		`(?P<value>\d+) ms`:                   " ms",
		`(?i)worst (?P<value>\d+)`:            "",
		`(?P<value>nan-literal)`:              "",
		`(a|b)c+(?P<value>\d)`:                "c",
		`x*(?P<value>\d)`:                     "",
		`(?P<term>long-literal)(?P<value>\d)`: "long-literal",
	} {
		p, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.Literal()); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

// A number with a sign and one that is not finite are read by a pattern that
// takes neither, in the place where its number stands.
func TestEveryNumberCounts(t *testing.T) {
	for _, tc := range []struct {
		pattern, line string
		want          []string // the values found
	}{
		{`bwd (?P<value>[0-9.]+) ms`, "bwd -5 ms bwd 4 ms", []string{"-5", "4"}},
		{`bwd (?P<value>[0-9.]+) ms`, "bwd −5.25 ms", []string{"−5.25"}},
		{`bwd (?P<value>[0-9.]+)`, "bwd +1.5e+3", []string{"+1.5e+3"}},
		{`bwd (?P<value>[0-9.]+)`, "bwd -.5", []string{"-.5"}},
		{`(?P<value>\d+) ms`, "fwd -5 ms, fwd-5 ms", []string{"-5", "5"}},
		{`t(?P<value>\d+)`, "t-5 tnan t7", []string{"-5", "nan", "7"}},
		{`step.*?(?P<value>\d+)`, "step-5", []string{"5"}},
		{`(?U)rel (?P<value>[0-9.]+) on`, "rel -12 on", []string{"-12"}},
		{`rel.*?(?P<value>[0-9.]+)`, "rel nan at step 3", []string{"nan"}},
		{`rel.*?(?P<value>[0-9.]+)`, "rel -0.5 at step 3", []string{"-0.5"}},
		{`rel (?P<value>\S+)`, "rel -nan(ind) rel Infinity", []string{"-nan(ind)", "Infinity"}},
		{`worst.*?(?P<value>[0-9.]+)`, "worst L_inf, finance of nanny, info 3", []string{"3"}},
		{`worst.*?(?P<value>[0-9.e-]+)`, "worst *** 3e-5 ***", []string{"3e-5"}},
		{`level (?P<value>\d+)`, "level info, level nanny", nil},
		{`took (?P<value>[0-9.]+)ms`, "took NaNms", []string{"NaN"}},
		{`took (?P<value>[0-9.]+)`, "took NaNms took inf s", []string{"NaNms", "inf"}},
		{`rel (?P<value>[0-9.]+)`, "rel 1.#QNAN rel ***** rel -1.#IND", []string{"1.#QNAN", "*****", "-1.#IND"}},
	} {
		p, err := Compile(tc.pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, loc := range p.find([]byte(tc.line)) {
			got = append(got, tc.line[loc[2*p.value]:loc[2*p.value+1]])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s in %q (-want +got):\n%s", tc.pattern, tc.line, diff)
		}
	}
}

// A counter that is cut short, or no finite number, is not passed over because
// the pattern asks for digits.
func TestCounters(t *testing.T) {
	for _, tc := range []struct {
		pattern, line string
		want          []map[string]string
		fault         string
	}{
		{`fused=(?P<fused>\d+)/(?P<asked>\d+)( extra=(?P<extra>\d+))?`, "fused=7/8 then fused=nan/8 extra=1",
			[]map[string]string{{"fused": "7", "asked": "8"}, {"fused": "nan", "asked": "8", "extra": "1"}}, ""},
		{`declined=(?P<declined>\d+)`, "declined=-3", []map[string]string{{"declined": "-3"}}, ""},
		{`declined=(?P<declined>\d+)`, "declined=−3", []map[string]string{{"declined": "-3"}}, ""},
		{`on (?P<term>\d?d_\w+) v(?P<major>\d+)\.(?P<minor>\d+)`, "on d_g v1.2", []map[string]string{{"term": "d_g", "major": "1", "minor": "2"}}, ""},
		{`grid (?P<w>\d+)x(?P<h>\d+)`, "grid 0x4", []map[string]string{{"w": "0", "h": "4"}}, ""},
		{`declined=(?P<declined>\d+)`, "declined=0.75", nil, `"0" out of "0.75"`},
		{`declined=(?P<declined>\d+)`, "declined=0x1f", nil, `"0" out of "0x1f"`},
		{`declined=(?P<declined>\d+)`, "declined=0e1x", nil, `"0" out of "0e1x"`},
		{`declined=(?P<declined>\d+)`, "declined=0,9", nil, `"0" out of "0,9"`},
		{`declined=(?P<declined>\d)`, "declined=01", nil, `"0" out of "01"`},
		{`a=(?P<a>\d+) b=(?P<b>\d+)`, "a=1 b=2k", nil, `counter b: the pattern reads "2" out of "2k"`},
	} {
		p, err := CompileCounters(tc.pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []map[string]string
		fault := ""
		for _, c := range p.Counters([]byte(tc.line)) {
			got, fault = append(got, c.Groups), fault+c.Fault
		}
		if tc.fault != "" {
			if !strings.Contains(fault, tc.fault) || len(got) != 1 {
				t.Errorf("%s in %q: got fault %q of %v, want %q", tc.pattern, tc.line, fault, got, tc.fault)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || fault != "" {
			t.Errorf("%s in %q: fault %q (-want +got):\n%s", tc.pattern, tc.line, fault, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	for src, want := range map[string]place{
		`x=(?P<value>\d+)ms`:           {front{literal: '='}, back{literal: 'm'}},
		`x\s*(?P<value>\d+)\s*ms`:      {front{}, back{literal: 'm'}},
		`(?P<value>\d+)\s+ms`:          {front{loose: true}, back{true, 'm'}},
		`.*?\b(?P<value>\d+)\b,`:       {front{loose: true}, back{literal: ','}},
		`^(?P<value>\d+)[x]`:           {front{}, back{literal: 'x'}},
		`a((?:b(?P<value>\d+))/)`:      {front{literal: 'b'}, back{literal: '/'}},
		`((?P<value>\d+) )+x`:          {front{loose: true}, back{gap: true}},
		`(?:(?P<value>\d+))+x`:         {front{loose: true}, back{}},
		`a(?P<value>\d+)(?:ms|s)`:      {front{literal: 'a'}, back{}},
		`a(?P<value>\d+)x?`:            {front{literal: 'a'}, back{}},
		`\d+(?P<value>[-+]\d+)\Qi)\E`:  {front{}, back{literal: 'i'}},
		`a(?P<value>\d+)(?P<unit>ms)b`: {front{literal: 'a'}, back{literal: 'm'}},
		`a(?P<value>\d+)( +)(b) T`:     {front{literal: 'a'}, back{gap: true}},
		`a(?P<value>\d+)\s? T`:         {front{literal: 'a'}, back{true, 'T'}},
	} {
		p, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.places[p.value]; got != want {
			t.Errorf("%s: got %+v, want %+v", src, got, want)
		}
	}
}

// A gate has dozens of patterns, and starts in milliseconds.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(worst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	c, err := New([]Spec{{Metric: "m", Pattern: worst}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	line := []byte("shape 4x16: worst rel 6.3e-7 on d_g after 12 ms")
	for b.Loop() {
		c.Line(line)
	}
	if c.Found("m").Count == 0 {
		b.Fatal("nothing was read")
	}
}

// Whatever compiles also compiles widened, with the same groups.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{worst, `(?U)(?i)a(?P<value>\d+)?`, `\Q(\E(?P<value>[)\]]+)`, `(?P<a>x(?P<b>y))|(?<value>)*`, `[[:alpha:]](?P<value>.{2,3})+$`} {
		f.Add(s, "worst rel -nan on d_g, x -5 ms")
	}
	f.Fuzz(func(t *testing.T, src, line string) {
		if len(src) > 200 {
			return
		}
		re, err := regexp.Compile(src)
		p, widened := CompileCounters(src)
		if (err == nil) != (widened == nil) {
			t.Fatalf("%q: %v, widened %v", src, err, widened)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(re.SubexpNames(), p.names); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
		if re.MatchString(line) && len(p.Counters([]byte(line))) == 0 {
			t.Errorf("%q finds nothing in %q", src, line)
		}
	})
}
