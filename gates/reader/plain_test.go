package reader

import (
	"bytes"
	"testing"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"grün ✓":                "grün ✓",
		"\x1b[31mred\x1b[0m":    "red",
		"\x1b[38;5;1mx\x1b(B":   "x",
		"a\x1b[Kb":              "ab",
		"\x1b]0;title\aok":      "ok",
		"\x1b]8;;u\x1b\\link":   "link",
		"\x1bP1$r\x1b\\x":       "x",
		"\x1b7x\x1b8":           "x",
		"x\x1b":                 "x",
		"x\x1b[":                "x",
		"x\x1b[31":              "x31",
		"\x1b]unfinished":       "unfinished",
		"\x1bü":                 "ü",
		"crlf\r":                "crlf",
		"10%\r20%\r100%":        "100%",
		"100%\r    ":            "100%",
		"100%\r\x1b[K\r":        "100%",
		"\r":                    "",
		"\r\r":                  "",
		"\x1b[32m50%\r\x1b[0mx": "x",
	} {
		if got := string(Plain([]byte(in))); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainGivesBackAPlainLine(t *testing.T) {
	line := []byte("test result: nothing to take away")
	if n := testing.AllocsPerRun(100, func() { Plain(line) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
	if got := Plain(line[:0]); got == nil {
		t.Error("an empty line became nil, which means framing")
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"\x1b[31mred\x1b[0m", "a\rb\r", "\x1b]0;t\a\x1b\\", "\x1b\x1b[", "\x1b(B\x1bc", "100%\r   "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		got := Plain(line)
		if !bytes.Equal(line, before) {
			t.Fatal("the line was changed in place")
		}
		if len(got) > len(line) || bytes.IndexByte(got, '\r') >= 0 || bytes.IndexByte(got, esc) >= 0 {
			t.Fatalf("Plain(%q) = %q", line, got)
		}
	})
}
