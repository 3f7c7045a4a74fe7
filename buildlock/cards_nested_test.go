package buildlock

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// command is a shell command that runs this test binary as a child.
func command(t *testing.T, mode string, o any) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("env %s=%s %s '%s'; true", childVariable, mode, self, text)
}

// Field case 27: a gate in a gate passes its own card, also without the
// environment, and never waits for another one.
func TestCardsNestedCase27(t *testing.T) {
	both := []string{cardA, cardB}
	for _, c := range []struct {
		outer []string
		mode  string
		inner any // with its Dir to be filled in
		want  string
		plain bool // the environment is emptied
	}{
		{[]string{cardA}, "cards", cardOrder{Cards: both}, "got " + cardA + " true", false},
		{[]string{cardA}, "cards", cardOrder{Cards: []string{cardB, cardA}}, "got " + cardA + " true", true},
		{both, "cards", cardOrder{Cards: []string{cardB, cardA}, Count: 2}, "got " + cardB + "+" + cardA + " true", false},
		{[]string{cardA}, "cards", cardOrder{Cards: []string{cardB}}, "error locks are taken in the wrong order", false},
		{[]string{cardA}, "cards", cardOrder{Cards: both, Count: 2}, "error locks are taken in the wrong order", true},
		{[]string{cardA}, "holder", order{Lock: Build}, "error locks are taken in the wrong order", false},
		{[]string{cardA}, "holder", order{Lock: Link}, "got link-1 false", false},
	} {
		dir := lockDir(t, 1)
		switch o := c.inner.(type) {
		case cardOrder:
			o.Dir = dir
			c.inner = o
		case order:
			o.Dir = dir
			c.inner = o
		}
		keep := command(t, c.mode, c.inner)
		if c.plain {
			keep = strings.Replace(keep, "env ", "env -i ", 1)
		}
		outer := startAs(t, "cards", cardOrder{Dir: dir, Cards: c.outer, Count: len(c.outer), Keep: keep})
		outer.hears("got")
		outer.say("exec")
		if got := outer.hears(""); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v below %v: %q, want %q", c.inner, c.outer, got, c.want)
		}
		outer.end()
	}
	dir := lockDir(t, 1)
	outer := start(t, order{Dir: dir, Keep: command(t, "cards", cardOrder{Dir: dir, Cards: both})})
	outer.hears("got")
	outer.say("exec")
	if got := outer.hears(""); !strings.Contains(got, "below it nothing may wait for cards") {
		t.Errorf("below a link: %q", got)
	}
}

// A card stays taken while what its holder started lives, also when the holder
// was killed.
func TestCardKept(t *testing.T) {
	dir := lockDir(t, 1)
	c := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA}, Keep: `exec 4<&0; { echo up; read x <&4; } & wait`})
	c.hears("got")
	c.say("exec")
	c.hears("up")
	if err := c.cmd.Process.Kill(); err != nil { // the shell alone
		t.Fatal(err)
	}
	_, _ = c.cmd.Process.Wait()
	cardsBusy(t, dir, 1, cardA)
	if e := inLine(t, dir, cardA)[0]; e.State != StateKept || len(e.Keepers) != 1 {
		t.Errorf("the keeper is not named: %+v", e)
	}
	_ = c.in.Close() // ends it
	got := takeCards(t, CardOptions{Dir: dir, Allowed: []string{cardA}, Wait: -1})
	_ = ReleaseCards(got)
}

// Another user, whatever the umask: in the same line.
func TestCardsOfTwoUsers(t *testing.T) {
	as := otherUser(t)
	dir := publicDir(t) + "/locks"
	mine := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA}})
	mine.hears("got")
	theirs := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}, Count: 2, Wait: -1}, as...)
	theirs.hears("waiting")
	cardsBusy(t, dir, 1, cardB) // behind theirs
	mine.say("release")
	mine.hears("released <nil>")
	theirs.hears("got " + cardA + "+" + cardB)
	cardsBusy(t, dir, 1, cardA)
	theirs.kill()
	takeCards(t, CardOptions{Dir: dir, Allowed: []string{cardA, cardB}, Count: 2})
}
