package simt

import (
	"strings"
	"testing"
)

// The directories of files are no part of a content; all else is.
func TestContent(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"# 1 \"/home/a/k.cu\"\nint x;\n":      "# 1 \"k.cu\"\nint x;\n",
		"a\n# 12 \"b/v.cuh\" 1 3\n# 3 \"\"":   "a\n# 12 \"v.cuh\" 1 3\n# 3 \".\"",
		"# 1 \"d \\\"q\\\"/\\303\\244.cu\"\n": "# 1 \"ä.cu\"\n",
		"# 1 \"x\\q/y\"\n":                    "# 1 \"y\\\"\"\n", // no string of Go's
		"s = \"\n# 7 \"a/b\"":                 "s = \"\n# 7 \"b\"",
	} {
		if got := content(text); got != want {
			t.Errorf("content of %q is %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		" # 1 \"a/b\"", "#1 \"a/b\"", "# \"a/b\"", "# 1  \"a/b\"", "# 1 \"a/b\n\"", "# 1 \"a/b\\", "# 1 \"a/b\\\"", "#pragma once",
		"x # 1 \"a/b\"", "# 1 \"a/b\\\n\"", "# 1", "# ", "#",
	} {
		for _, text := range []string{text, strings.Repeat(text+"\n", 2)} {
			if got := content(text); got != text {
				t.Errorf("content of %q is %q", text, got)
			}
		}
	}
}
