package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Note is a statement that somebody relies on, with the conditions under which it
// stands: at least one.
type Note struct {
	Text, Owner string
	About       string // a gate, or a path from the directory of gpuci.toml

	WhileRed       string    // a gate: it stands as long as that one is red
	WhileUnchanged []string  // files and directories, from the directory of gpuci.toml
	Since          string    // the commit, in hex, that those are held against
	Until          time.Time // its last day: midnight UTC at the start of that day
	Expects        string    // a relation between metrics of the gate that it is about
}

const noteExample = "until = \"2026-12-15\", while-red = \"oracle\", while-unchanged = [\"src/oracle\"] with since = \"3ab57a0\", or expects = \"adam-ms < 30\""

// notes reads every [[note]]. It comes after the gates, which it names.
func (l *layer) notes(f *fields) {
	if !f.only("note", l.role == workspace, "the workspace's "+FileName) {
		return
	}
	for i, table := range f.tables("note") {
		t := l.fields(place{}.named("note", strconv.Itoa(i+1)), "[[note]]", table)
		var n Note
		for _, key := range []struct {
			name, example string
			into          *string
		}{
			{"text", `"the oracle does not reach further"`, &n.Text},
			{"owner", `"kernels"`, &n.Owner},
			{"about", `"fused-adjoint"`, &n.About},
		} {
			t.need(key.name, key.example)
			t.title(key.name, key.example, key.into)
		}
		t.aboutOf(n)
		t.noteConditions(&n)
		t.done()
		l.config.Notes = append(l.config.Notes, n)
	}
}

// aboutOf checks what a note is about: a gate, else a path, whose being there is
// looked at when the note is.
func (f *fields) aboutOf(n Note) {
	e := f.table.get("about")
	if n.About == "" || e == nil {
		return
	}
	if _, known := f.config.Gate(n.About); !known {
		f.inside(e, e.value)
	}
}

// noteConditions reads under what a note stands.
func (f *fields) noteConditions(n *Note) {
	red := f.word("while-red", `"oracle"`, &n.WhileRed)
	if red != nil {
		if _, known := f.config.Gate(n.WhileRed); !known {
			f.bad(red, f.nearGate(n.WhileRed), "names no gate: %s", quoted(n.WhileRed))
		}
	}
	same, items := f.texts("while-unchanged", `["src/oracle"]`)
	for _, item := range items {
		if err := CheckNotePath(item.text); err != nil {
			f.add(item.span, `write while-unchanged = ["src/oracle"]`, "%q in %s %s", same.key, f.label, err)
			continue
		}
		n.WhileUnchanged = append(n.WhileUnchanged, filepath.ToSlash(filepath.Clean(item.text)))
	}
	if same != nil && len(items) == 0 {
		f.bad(same, `write while-unchanged = ["src/oracle"]`, "names nothing")
	}
	since := f.text("since", `"3ab57a0"`, &n.Since)
	if since != nil {
		if err := CheckCommit(n.Since); err != nil {
			f.bad(since, `write since = "3ab57a0", as git rev-parse --short HEAD says it`, "%s", err)
		}
	}
	f.date("until", &n.Until)
	expects := f.text("expects", `"adam-ms < 30"`, &n.Expects)
	if expects != nil {
		if _, err := ParsePrediction(n.Expects); err != nil {
			f.bad(expects, `write a relation between metrics, like expects = "adam-ms < 30"`, "%s", err)
		}
		if _, known := f.config.Gate(n.About); !known && n.About != "" {
			f.add(expects.span, "say about which gate", "%q in %s needs a gate that prints these numbers, and %s is none", "expects", f.label, quoted(n.About))
		}
	}
	f.noteWhole(n)
}

// noteWhole finds conditions that lack a half, and a note without any.
func (f *fields) noteWhole(n *Note) {
	same, since := f.table.get("while-unchanged"), f.table.get("since")
	switch {
	case same != nil && since == nil:
		f.add(same.span, `add since = "3ab57a0", the commit that they are as in`, "%q in %s needs %q beside it", "while-unchanged", f.label, "since")
	case same == nil && since != nil:
		f.add(since.span, "add while-unchanged, or leave the line out", "%q in %s means nothing without %q", "since", f.label, "while-unchanged")
	}
	for _, key := range []string{"while-red", "while-unchanged", "since", "until", "expects"} {
		if f.table.get(key) != nil {
			return
		}
	}
	f.add(f.table.span, "add "+noteExample, "%s has no condition, so it would never expire", f.label)
}

// CheckNotePath says what is wrong with a path that a note watches.
func CheckNotePath(path string) error {
	switch {
	case path == "" || strings.ContainsAny(path, "\x00\n"):
		return fmt.Errorf("is no path: %s", quoted(path))
	case !filepath.IsLocal(path):
		return fmt.Errorf("must stay inside the workspace, not %s", quoted(path))
	case strings.ContainsAny(path, "*?["):
		return fmt.Errorf("must name files and directories, not a pattern: %s", quoted(path))
	}
	return nil
}

// CheckCommit says what is wrong with a commit's id. Names are none: a branch
// goes on, and nothing would ever have changed since it.
func CheckCommit(id string) error {
	const least, most = 7, 64 // git's own short form, and SHA-256 in hex
	if len(id) < least || len(id) > most || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("is no commit's id of %d digits or more: %s", least, quoted(id))
	}
	return nil
}
