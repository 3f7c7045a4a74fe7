package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Protect is a rule that finds a protected run: somebody's long job that must not
// be disturbed. What it says of Command, CWD, User, PIDFile and Unit must all hold; one
// beside CWD is there, since where other users' processes work cannot be read.
type Protect struct {
	Name    string   // what refusals call it
	Command string   // regular expression, searched in the command line; "" for any
	CWD     string   // directory that it runs in, or below it, absolute; "" for any
	User    string   // name or uid; "" for any
	PIDFile string   // absolute path of a file with its pid; "" for none
	Unit    string   // service of systemd's, or the absolute path of a cgroup; "" for any
	Cards   []string // by UUID or index; nil: those that its processes are on

	Log      string // absolute path of the file that it writes to, or a pattern; "" for none
	Progress string // regular expression with a group percent, eta, or done with total; "" for none
	Share    bool   // gates that share may run beside it
}

// protect reads every [[protect]]. The rules of all files hold.
func (l *layer) protect(f *fields) {
	if !f.only("protect", l.role != workspace, "the machine's or your own file: what else runs on a machine is no matter of a workspace") {
		return
	}
	seen := make(map[string]int)
	for _, table := range f.tables("protect") {
		at, label := place{}.in("protect"), "[[protect]]"
		if e := table.get("name"); e != nil && e.value.kind == isString {
			at, label = place{}.named("protect", e.value.text), "[[protect]] "+quoted(e.value.text)
		}
		t := l.fields(at, label, table)
		l.config.Protected = append(l.config.Protected, t.protected(seen))
	}
}

func (f *fields) protected(seen map[string]int) Protect {
	var p Protect
	f.need("name", `"train-7b"`)
	if e := f.word("name", `"train-7b"`, &p.Name); e != nil {
		f.once(e, seen, "a second protected run %s, the first is on line %d")
	}
	f.regexp("command", `'^(\S*/)?python3? .*train\.py'`, &p.Command)
	f.absolute("cwd", `"/home/alice/train"`, &p.CWD)
	f.text("user", `"alice"`, &p.User)
	f.absolute("pidfile", `"/run/train.pid"`, &p.PIDFile)
	f.text("unit", `"train.service"`, &p.Unit)
	p.Cards = f.cardNames(nil)
	f.progress(&p)
	f.truth("share", &p.Share)
	if !slices.ContainsFunc([]string{"command", "user", "pidfile", "unit"}, func(key string) bool { return f.table.get(key) != nil }) {
		f.add(f.table.span, `add command = '^(\S*/)?python3? .*train\.py', or user, pidfile or unit`, "%s says nothing that its process could be found by", f.label)
	}
	f.done()
	return p
}

// progress reads where a run says how far it is.
func (f *fields) progress(p *Protect) {
	log := f.absolute("log", `"/home/alice/train/log.txt"`, &p.Log)
	re := f.regexp("progress", `'step (?P<done>\d+)/(?P<total>\d+)'`, &p.Progress)
	e := f.table.get("progress")
	if re != nil {
		has := func(name string) bool { return slices.Contains(groups(re), name) }
		if !has("percent") && !has("eta") && (!has("done") || !has("total")) {
			f.bad(e, `write progress = 'step (?P<done>\d+)/(?P<total>\d+)', or with a group percent or eta`, "has no groups that say how far the run is")
		}
		if log == nil && f.table.get("log") == nil {
			f.add(e.span, `add log = "/home/alice/train/log.txt"`, "%q in %s means nothing without %q", e.key, f.label, "log")
		}
	}
}

// absolute reads an absolute path, or a pattern of such.
func (f *fields) absolute(key, example string, into *string) *entry {
	var text string
	e := f.text(key, example, &text)
	switch {
	case e == nil:
		return nil
	case !filepath.IsAbs(text):
		f.bad(e, "write "+key+" = "+example, "must be an absolute path, not %s", quoted(text))
		return nil
	}
	if _, err := filepath.Match(text, ""); key == "log" && err != nil {
		f.bad(e, "close the brackets", "is no pattern: %s", quoted(text))
		return nil
	}
	*into = text
	return e
}

// regexp reads a regular expression, which nil is where there is none.
func (f *fields) regexp(key, example string, into *string) *regexp.Regexp {
	e := f.text(key, example, into)
	if e == nil {
		return nil
	}
	re, err := regexp.Compile(e.value.text)
	switch {
	case err != nil:
		f.bad(e, "see https://golang.org/s/re2syntax; "+`a literal string, '…', needs no \\`, "is no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	case re.MatchString(""):
		f.bad(e, "write "+key+" = "+example, "matches everything")
		return nil
	}
	return f.oneOfEach(re, e)
}
