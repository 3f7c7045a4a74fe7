package expr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, src string) *Expr {
	t.Helper()
	e, err := Parse(src)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return e
}

func TestNamesAreInOrderWithTheirFirstOffset(t *testing.T) {
	src := "node_bwd > 0 &&\n fused == asked && fused >= node_bwd"
	e := mustParse(t, src)
	want := []Name{{"node_bwd", 0}, {"fused", 17}, {"asked", 26}}
	if diff := cmp.Diff(want, e.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if e.String() != src {
		t.Errorf("String() = %q, want the source", e.String())
	}
	e.Names()[0].Text = "changed"
	if e.Names()[0].Text != "node_bwd" {
		t.Error("a caller can change the names of an Expr")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		src    string
		offset int
		msg    string
	}{
		{"", 0, "is empty"},
		{"  \n ", 0, "is empty"},
		{"a", 0, "is a number, not true or false: compare it, as in a > 0"},
		{"  a + 1", 2, "as in a + 1 > 0"},
		{"a == b == c", 7, "write a == b && b == c, or"},
		{"1 < a <=\n b + 1 < 9", 16, "write 1 < a && a <= b + 1 && b + 1 < 9, or"},
		{"a && b > 0", 0, "&& needs true or false here, and \"a\" is a number"},
		{"a > 0 || b", 9, "|| needs true or false"},
		{"(a > 0) + 1 > 0", 0, "+ needs a number here"},
		{"a == (b > 0)", 5, "== needs a number"},
		{"(b > 0) == a", 11, "== needs true or false"},
		{"!a", 1, "! needs true or false"},
		{"!a == b", 1, "! needs true or false"},
		{"-(a > 0) > 0", 1, "- needs a number"},
		{"+a > 0", 0, "+ before a value"},
		{"*a > 0", 0, "not part of the language"},
		{"len(a) > 0", 0, "is a call"},
		{"(a)(b) > 0", 0, "is a call"},
		{"a.b > 0", 1, "no dots"},
		{"a[0] > 0", 1, "[ is not part"},
		{"a & b > 0", 2, "write && for both"},
		{"a | b > 0", 2, "write || for either"},
		{"a ^ b > 0", 2, "not part of the language"},
		{"a << 2 > 0", 2, "not part of the language"},
		{"a &^ b > 0", 2, "not part of the language"},
		{"a = b", 2, "write =="},
		{"a === b", 4, "write =="},
		{"a := b", 2, "not part of the language"},
		{"a <-1", 2, "space between < and -"},
		{"a --b > 0", 2, "write a space"},
		{"a <> b", 3, "is not expected here"},
		{"a > 0 and b > 0", 6, "write && or ||"},
		{"not a > 0", 0, "write !"},
		{"a > 0 b", 6, "is not expected here"},
		{"a > ", 4, "breaks off"},
		{"(a > 0", 6, "breaks off"},
		{"a > 0)", 5, "is not expected here"},
		{"a > 0 // as well", 6, "no comments"},
		{"a > 0 /* and */", 6, "no comments"},
		{"a > 0; b > 0", 5, "not part of the language"},
		{`a == "x"`, 5, "numbers, not text"},
		{"a == 'x'", 5, "numbers, not text"},
		{"a == 0x10", 5, "not a finite decimal number"},
		{"a == 1_000", 5, "not a finite decimal number"},
		{"a == 0x1p4", 5, "not a finite decimal number"},
		{"a == 3i", 5, "not part of the language"},
		{"a == 017", 5, "octal"},
		{"a == 089", 5, "octal"},
		{"a == 1e", 5, "not a finite decimal number"},
		{"a == 1e999999999", 5, "past 999"},
		{"a == 1e99999999999999999999", 5, "past 999"},
		{"a == true", 5, "true is not part"},
		{"range > 0", 0, "is a word of Go"},
		{"a # b", 2, "not part of the language"},
		{"a > 0 \x00", 6, "not part of the language"},
		{"a > \xff", 4, "not part of the language"},
		{"a == " + strings.Repeat("9", 101), 5, "longer than 100 bytes"},
		{strings.Repeat("(", 51) + "a > 0" + strings.Repeat(")", 51), 50, "more than 50 parentheses"},
		{strings.Repeat("!", 1200) + "a", 1024, "longer than 1024 bytes"},
	} {
		_, err := Parse(tt.src)
		bad, ok := err.(*Error)
		if !ok {
			t.Errorf("Parse(%q) = %v, want an *Error", tt.src, err)
			continue
		}
		if bad.Offset != tt.offset || !strings.Contains(bad.Msg, tt.msg) {
			t.Errorf("Parse(%q) = %v, want %q at byte %d", tt.src, bad, tt.msg, tt.offset)
		}
	}
}

func TestErrorSaysWhere(t *testing.T) {
	_, err := Parse("a = b")
	if got, want := err.Error(), "at byte 2: = does not compare: write =="; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
