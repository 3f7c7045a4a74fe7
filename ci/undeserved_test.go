package ci

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
)

// A gate that moves HEAD has judged something else, and the next one is to see the
// commit all the same.
func TestGateThatMovesHead(t *testing.T) {
	s := newStage(t, `
[[gate]]
name = "format"
run = "echo fixed > a && git -c user.name=t -c user.email=t@t commit -qam fmt"
reader = "none"

[[gate]]
name = "unit"
run = "grep -q fixed a"
reader = "none"
after = ["format"]

[[gate]]
name = "back"
run = "grep -q bad a"
reader = "none"
`)
	s.commit("main", "a", "bad\n")
	r := s.night()
	if c := mustCell(t, r, "main", "format"); c.Outcome != gates.Broken || !strings.Contains(c.Why, "it moved its lane") {
		t.Errorf("%s: %s", c.Outcome, c.Why)
	}
	if c := mustCell(t, r, "main", "unit"); c.Outcome == gates.Green {
		t.Error("the gate after it is green by what it had committed")
	}
	if c := mustCell(t, r, "main", "back"); c.Outcome != gates.Green {
		t.Errorf("a gate beside it is %s", c.Outcome)
	}
	if r.Exit != gates.Broken.ExitCode() {
		t.Errorf("exit %d", r.Exit)
	}
	if c := mustCell(t, s.night(), "main", "format"); c.State == Stands {
		t.Error("its outcome stands")
	}
}

// Another program under the same name is another tool.
func TestChangedTool(t *testing.T) {
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = [\"sh\", \"-c\", \"vtool a\"]\nreader = \"none\"\n")
	tools := t.TempDir()
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	for status, want := range map[string]gates.Outcome{"0": gates.Green, "1": gates.Red} {
		if err := os.WriteFile(filepath.Join(tools, "vtool"), []byte("#!/bin/sh\nexit "+status+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if c := mustCell(t, s.night(), "main", "unit"); c.State != Ran || c.Outcome != want {
			t.Errorf("vtool ends with %s: %s, %s", status, c.State, c.Outcome)
		}
		if c := mustCell(t, s.night(), "main", "unit"); c.State != Stands || c.Outcome != want {
			t.Errorf("vtool is as it was: %s, %s", c.State, c.Outcome)
		}
	}
}

// git tells its hooks and aliases which repository they are of; a gate is of the
// lane that it runs in.
func TestInheritedRepository(t *testing.T) {
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = \"! git grep -q FIXME HEAD -- '*.txt'\"\nreader = \"none\"\n")
	s.lane("kda")
	s.commit("kda", "a.txt", "FIXME\n")
	o, _ := s.options()
	t.Setenv("GIT_DIR", filepath.Join(s.dir, ".git"))
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c := mustCell(t, r, "kda", "unit"); c.Outcome != gates.Red {
		t.Errorf("kda is %s", c.Outcome)
	}
	if c := mustCell(t, r, "main", "unit"); c.Outcome != gates.Green {
		t.Errorf("main is %s", c.Outcome)
	}
}

// Lanes whose names are no UTF-8 are told apart, in the journal and after it.
func TestNamesThatAreNoText(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("k\xfe")
	s.lane("k\xff")
	s.commit("k\xff", "bad", "")
	o, _ := s.options()
	ctx, stop := context.WithCancel(context.Background())
	note := o.Note
	o.Note = func(text string) {
		note(text)
		if strings.Contains(text, "unit: ") { // the first gate has come to something
			stop()
		}
	}
	if _, err := Run(ctx, o); err == nil {
		t.Log("the night was over before it could be stopped")
	}
	r := s.night(func(o *Options) { o.Resume = true })
	if c := mustCell(t, r, "k~fe", "unit"); c.Outcome != gates.Green {
		t.Errorf("the good lane is %s", c.Outcome)
	}
	if c := mustCell(t, r, "k~ff", "unit"); c.Outcome != gates.Red {
		t.Errorf("the bad lane is %s", c.Outcome)
	}
}
