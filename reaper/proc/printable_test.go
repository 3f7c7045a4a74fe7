package proc

import "testing"

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"python 'ä' → \"q\" \\":  "python 'ä' → \"q\" \\",
		"a\nb\r\t\x00":           `a\nb\r\t\x00`,
		"\x1b[31mred\x1b[0m":     `\x1b[31mred\x1b[0m`,
		"\u202eback\u2066\u00ad": `\u202eback\u2066\u00ad`,
		"half \xc3":              "half \ufffd",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
