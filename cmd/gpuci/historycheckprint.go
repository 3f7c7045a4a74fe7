package main

import (
	"fmt"
	"io"
	"strings"
)

func (c checked) text(w io.Writer) error {
	var b strings.Builder
	for _, l := range c.Lost {
		what := "is lost or changed"
		if l.Moved {
			what = "does not stand where it stood"
		}
		fmt.Fprintf(&b, "line %d of %s %s in %s: %s\n", l.Number, c.at(l.From)+l.was(), what, c.at(l.To), printable(strings.ReplaceAll(l.Line, "\t", " ")))
	}
	for _, text := range c.Wrong {
		fmt.Fprintf(&b, "%s: %s\n", c.File, printable(text))
	}
	switch {
	case len(c.Lost)+len(c.Wrong) > 0:
		fmt.Fprintf(&b, "%s does not hold all it held: git log -p -- %s shows who changed what; put the lines back\n", c.File, c.File)
	default:
		fmt.Fprintf(&b, "%s holds all it held: %s, %s%s\n", c.File, count(c.Rows, "row", "rows"), count(c.Commits, "commit", "commits"), c.span())
	}
	if c.Older > 0 {
		fmt.Fprintf(&b, "%s before these changed it and %s not looked at: gpuci history check --all does\n", count(c.Older, "commit", "commits"), oneMany(c.Older, "was", "were"))
	}
	if !c.Union {
		fmt.Fprintf(&b, "two branches that both append will meet in a conflict: add to .gitattributes: %s merge=union\n", c.File)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// was says where the file was, if that was elsewhere.
func (l missed) was() string {
	if l.File == "" {
		return ""
	}
	return " (" + printable(l.File) + ")"
}

func (c checked) span() string {
	if c.Since == "" {
		return ""
	}
	return fmt.Sprintf(" since %.10s", c.Since)
}

// at names a form of the file.
func (c checked) at(commit string) string {
	if commit == "" {
		return c.File
	}
	return fmt.Sprintf("%.10s", commit)
}
