//go:build bench

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchNotes: the look at notes in a workspace of 5,000 files, as what a gate
// takes longer with a dozen of them, most of them of conditions that git is asked
// about, than with none.
func TestBenchNotes(t *testing.T) {
	const gate = "[[gate]]\nname = \"nothing\"\nrun = [\"true\"]\nreader = \"none\"\n[[gate]]\nname = \"other\"\nrun = [\"false\"]\nreader = \"none\"\n"
	none := repository(t, gate, 5000)
	some := repository(t, gate, 5000)
	first, err := exec.Command("git", "-C", some.dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	since := strings.TrimSpace(string(first))
	var text strings.Builder
	text.WriteString(gate)
	for i := range 4 {
		fmt.Fprintf(&text, "[[note]]\ntext = \"note %d\"\nowner = \"x\"\nabout = \"nothing\"\nwhile-unchanged = [\"d1/s%d\"]\nsince = \"%s\"\n", i, i%2+30, since)
	}
	text.WriteString("[[note]]\ntext = \"red\"\nowner = \"x\"\nabout = \"nothing\"\nwhile-red = \"other\"\n")
	if err := os.WriteFile(filepath.Join(some.dir, "gpuci.toml"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		line := fmt.Sprintf("int x;\n// gpuci:%s text=\"%d\" owner=x about=nothing until=2999-01-01\n", "note", i)
		if err := os.WriteFile(filepath.Join(some.dir, "d0", "s0", fmt.Sprintf("f%d.c", i)), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []workspace{none, some} {
		git(t, w.dir, "commit", "-qam", "two", "--allow-empty")
		_ = w.command(t, "gate", "other").Run() // it is red
	}
	with, without := paired(t, pairs,
		func() *exec.Cmd { return some.command(t, "gate", "nothing") },
		func() *exec.Cmd { return none.command(t, "gate", "nothing") })
	tell("13 notes in 5,000 files, over none", "ms", 1e3, each(with, without, func(a, b float64) float64 { return a - b }), "a few ms")
	tell("a gate around nothing there, without notes", "ms", 1e3, without, "-")
}
