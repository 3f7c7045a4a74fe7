package expr

import (
	"strings"
	"testing"
)

// counters are what the relations of these tests may name.
var counters = map[string]string{
	"zero": "0", "one": "1", "two": "2", "seven": "7", "half": "0.5", "tenth": "0.1",
	"minus": "-3", "plus": "+3", "padded": "0042", "tiny": "6.3e-7", "big": "1E+300", "point": "5.", "bare": ".5",
	"node_bwd": "12", "fused": "16", "asked": "16",
	"nan": "nan", "inf": "-inf", "empty": "", "hex": "0x10", "comma": "1,000", "spaced": " 1",
	"long": strings.Repeat("1", 101), "power": "1e1000", "sign": "-", "signs": "--1", "onlypoint": ".", "under": "1_0",
}

func TestEval(t *testing.T) {
	for src, want := range map[string]bool{
		"node_bwd > 0 && fused == asked":                   true,
		"node_bwd > 0 &&\n\tfused != asked":                false,
		"tenth + 0.2 == 0.3":                               true,
		"one / 3 * 3 == one":                               true,
		"seven / two == 3.5":                               true,
		"seven % two == 1":                                 true,
		"minus % two == -1":                                true,
		"4 / two % two == 0":                               true,
		"5.0 % two == one":                                 true,
		"-minus == plus":                                   true,
		"two - - two == 4":                                 true,
		"padded == 42":                                     true,
		"tiny < 2e-5":                                      true,
		"tiny == 0.00000063":                               true,
		"big * big == 1e600":                               true,
		"point == 5 && bare == half && .5 == bare":         true,
		"1 + two * 3 == 7 && (1 + two) * 3 == 9":           true,
		"one < two && two <= 2 && two >= 2 && seven > two": true,
		"!(one > two)":                                     true,
		"!!(one > two)":                                    false,
		"(one > two) == (two > 7)":                         true,
		"(one > two) != (two < 7)":                         true,
		"one > two || two > one && zero == 0":              true,
		"zero != 0 && one / zero > 2":                      false,
		"zero == 0 || one / zero > 2":                      true,
		"1 == 1":                                           true,
		"big + 1 > big":                                    true,
		"1e-999 > 0 && -1e999 < -1e998":                    true,
		"0 == 0.0 && zero == -zero":                        true,
	} {
		got, err := mustParse(t, src).Eval(counters)
		if err != nil || got != want {
			t.Errorf("%s = %v, %v, want %v", src, got, err, want)
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"nan > 0":                     `read counter nan = "nan": "nan" is not a finite decimal number`,
		"inf < 0":                     `read counter inf = "-inf"`,
		"empty == 0":                  `read counter empty = ""`,
		"hex > 0":                     "not a finite decimal number",
		"comma > 0":                   "not a finite decimal number",
		"spaced > 0":                  "not a finite decimal number",
		"sign > 0":                    "not a finite decimal number",
		"signs > 0":                   "not a finite decimal number",
		"onlypoint > 0":               "not a finite decimal number",
		"under > 0":                   "not a finite decimal number",
		"long > 0":                    "longer than 100 bytes",
		"power > 0":                   "past 999",
		"gone > 0":                    "read counter gone: it was not captured",
		"one > 0 || nan > 0":          "read counter nan", // though || need not look
		"one / zero > 0":              "zero is zero in one / zero",
		"seven % (one - one) > 0":     "(one - one) is zero",
		"half % two > 0":              "needs whole numbers",
		"two % half > 0":              "needs whole numbers",
		"big*big*big*big*big > 0":     "too long to be exact",
		"1/big/big/big/big/big > 0":   "too long to be exact",
		"1e999 * 1e999 == 1e99 * big": "too long to be exact",
	} {
		got, err := mustParse(t, src).Eval(counters)
		if err == nil || got || !strings.Contains(err.Error(), want) {
			t.Errorf("%s = %v, %v, want an error with %q", src, got, err, want)
		}
	}
}

// The longest chains of the largest numbers must end in an error at the first
// step past the bound, not in a number of a million digits.
func TestEvalIsBounded(t *testing.T) {
	for _, op := range []string{"*1e999", "/1e999"} {
		src := "1e999" + strings.Repeat(op, 160) + " > 0"
		if _, err := mustParse(t, src).Eval(nil); err == nil || !strings.Contains(err.Error(), "too long to be exact") {
			t.Errorf("160 times %s = %v, want an error", op, err)
		}
	}
	deep := strings.Repeat("- ", 500) + "1 > 0"
	if ok, err := mustParse(t, deep).Eval(nil); err != nil || !ok {
		t.Errorf("500 signs = %v, %v, want true", ok, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"node_bwd > 0 && fused == asked", "a == b == c", "-(a+1)*2.5e-3 <= b/c%d || !(a != b)", "((((a", "1e999999999 > a",
		"a <-1", "017 == a", "a // b", "(a > 0) == (b > 0)", "\xff\x00", "a\n&&\nb", "0 > a", "(a)(b)", "*a", "()", "a and b",
	} {
		f.Add(src, "1")
	}
	f.Add("a/b > 0 && a % b == 0", "-7.25e-300")
	f.Fuzz(func(t *testing.T, src, counter string) {
		e, err := Parse(src)
		if err != nil {
			bad, ok := err.(*Error)
			if !ok || bad.Offset < 0 || bad.Offset > len(src) || bad.Msg == "" {
				t.Fatalf("Parse(%q) = %#v: want an *Error inside the source", src, err)
			}
			return
		}
		values := map[string]string{}
		for _, name := range e.Names() {
			if !strings.HasPrefix(src[name.Offset:], name.Text) {
				t.Fatalf("%q: name %q is not at byte %d", src, name.Text, name.Offset)
			}
			values[name.Text] = counter
		}
		// A relation that was accepted has a value or an error, never a panic,
		// and the same one each time.
		first, err1 := e.Eval(values)
		again, err2 := e.Eval(values)
		if first != again || (err1 == nil) != (err2 == nil) {
			t.Fatalf("%q is %v, %v and then %v, %v", src, first, err1, again, err2)
		}
	})
}
