package config

import "strings"

// history reads what is kept of the runs, and the file for git.
func (l *layer) history(f *fields) {
	t := f.sub("history", "[history] above its lines")
	if t == nil {
		return
	}
	if t.only("tsv", l.role == workspace, "the workspace's "+FileName+": the file is the workspace's") {
		if e := t.text("tsv", `"benches/history.tsv"`, &l.config.History.TSV); e != nil && t.inside(e, e.value) && strings.HasSuffix(e.value.text, "/") {
			t.bad(e, `write tsv = "benches/history.tsv"`, "names a directory")
		}
	}
	t.whole("keep-runs", 1, 1<<30, &l.config.History.Runs)
	t.done()
}

// base reads the name of a branch, as git check-ref-format would have it in the
// main: it is handed to git, and must not be taken for a flag or a range.
func (f *fields) base(into *string) {
	e := f.text("base", `"main"`, into)
	if e == nil {
		return
	}
	if name := e.value.text; strings.HasPrefix(name, "-") || strings.ContainsAny(name, " ~^:?*[\\\x00\n\t") || strings.Contains(name, "..") {
		f.bad(e, `write base = "main"`, "is no name of a branch: %s", quoted(name))
	}
}
