package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// Every command that help tells of has a page, and no page is anything else's.
func TestManPages(t *testing.T) {
	s := newStage(t)
	dir := filepath.Join(s.dir, "a/man1")
	if code, out, stderr := s.run(t, "man", dir); code != 0 || out+stderr != "" {
		t.Fatalf("exit %d, %s%s", code, out, stderr)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[e.Name()] = string(data)
	}
	root := (&app{}).root()
	for _, cmd := range manCommands(root) {
		page, ok := pages[manName(cmd)+".1"]
		if !ok {
			t.Errorf("%s has no page", cmd.CommandPath())
			continue
		}
		delete(pages, manName(cmd)+".1")
		checkPage(t, cmd, page, filepath.Dir(s.dir))
	}
	for name := range pages {
		t.Errorf("%s is a page of nothing", name)
	}
}

func checkPage(t *testing.T, cmd *cobra.Command, page, machine string) {
	t.Helper()
	for _, part := range []string{".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n", ".SH OPTIONS OF EVERY COMMAND\n"} {
		if cmd.HasParent() && strings.Count(page, part) != 1 {
			t.Errorf("%s: %d times %q", cmd.CommandPath(), strings.Count(page, part), part)
		}
	}
	if i := strings.IndexFunc(page, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
		t.Errorf("%s: troff does not read %q", cmd.CommandPath(), page[i:min(len(page), i+9)])
	}
	home, _ := os.UserHomeDir()
	for _, path := range []string{machine, home + "/"} {
		if len(path) > 2 && strings.Contains(page, path) {
			t.Errorf("%s: it names %s", cmd.CommandPath(), path)
		}
	}
}

// Each page is one that groff has nothing to say about, and shows each line of
// an example as help has it.
func TestManShown(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		needsTool(t, "groff")
	}
	root := (&app{}).root()
	examples := 0
	for _, cmd := range manCommands(root) {
		groff := exec.Command("groff", "-man", "-ww", "-Tutf8", "-rLL=200n", "-P-c")
		groff.Stdin = bytes.NewReader(manPage(cmd, time.Unix(0, 0)))
		var out, errs bytes.Buffer
		groff.Stdout, groff.Stderr = &out, &errs
		if err := groff.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v, %s", cmd.CommandPath(), err, errs.String())
		}
		shown := plainText(out.String())
		for line := range strings.SplitSeq(cmd.Long, "\n") {
			if strings.HasPrefix(line, " ") {
				examples++
				if !strings.Contains(shown, strings.TrimRight(line, " ")+"\n") {
					t.Errorf("%s: %q is not shown as it is", cmd.CommandPath(), line)
				}
			}
		}
	}
	if examples < 50 {
		t.Errorf("%d lines of examples were seen", examples)
	}
}

// plainText is what groff writes for an old terminal, without bold letters and
// underlines: x, backspace, x.
func plainText(s string) string {
	var out []rune
	for _, r := range s {
		if r == '\b' && len(out) > 0 {
			out = out[:len(out)-1]
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// Two builds write the same bytes: the date is the commit's, or the one that is
// said.
func TestManDate(t *testing.T) {
	for epoch, want := range map[string]string{"0": "1970-01-01", "1767225600": "2026-01-01"} {
		if date, err := manDate(epoch); err != nil || date.UTC().Format(time.DateOnly) != want {
			t.Errorf("%s: %v, %v", epoch, date, err)
		}
	}
	for _, epoch := range []string{"x", "-1", "1.5", "253402300800"} {
		if _, err := manDate(epoch); exitCode(err, true) != 64 {
			t.Errorf("%s: %v", epoch, err)
		}
	}
	first, err := manDate("")
	again, _ := manDate("")
	if err != nil || !first.Equal(again) || time.Since(first) < time.Minute && !first.Equal(time.Unix(0, 0)) {
		t.Errorf("%v, then %v, %v", first, again, err)
	}
}

// The pages appear all or none: what cannot be replaced leaves nothing behind.
func TestManWhole(t *testing.T) {
	dir := t.TempDir()
	if err := writePages(dir, map[string][]byte{"a.1": []byte("one"), "b.1": []byte("two")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "c.1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.1/x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := writePages(dir, map[string][]byte{"a.1": []byte("new"), "c.1": []byte("three")})
	if err == nil {
		t.Fatal("a directory was replaced by a page")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%v", entries)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a.1")); string(data) != "one" {
		t.Errorf("a.1 is %q: it was replaced and c.1 was not", data)
	}
}

// Hostile text stays text.
func TestRoffText(t *testing.T) {
	for text, want := range map[string]string{
		".SH x": `\&.SH x`, "'br": `\(aqbr`, `a\fBb`: `a\efBb`, "--flag": `\-\-flag`, "NAME…": `NAME\[u2026]`, "~^`": "\\(ti\\(ha\\(ga",
	} {
		if got := roffLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
