package config

import (
	"fmt"
	"path/filepath"
	"slices"
)

// maxLinks is beyond any machine: a link keeps several cores and the disk busy.
const maxLinks = 1024

// top reads a whole file.
func (l *layer) top(root *value) {
	f := l.fields(place{}, "the file", root)
	l.workspaceTable(f)
	l.build(f)
	l.links(f)
	l.lockDir(f)
	l.pressure(f)
	l.reaper(f)
	l.history(f)
	l.bank(f)
	l.cards(f)
	l.gpu(f)
	l.protect(f)
	l.kernelSets(f)
	l.gates(f)
	l.notes(f)
	l.fixtures(f)
	l.ci(f)
	l.slurm(f)
	f.done()
}

// only says whether a key may stand in this file, and reports one that stands
// there all the same. It does not make the key known: no hint may name it here.
func (f *fields) only(key string, here bool, where string) bool {
	if e := f.table.get(key); e != nil && !here {
		f.reported = append(f.reported, key)
		f.add(e.span, "move it to "+where, "%q cannot stand in a %s file", key, f.role)
	}
	return here
}

func (l *layer) workspaceTable(f *fields) {
	if !f.only("workspace", l.role == workspace, "the workspace's "+FileName) {
		return
	}
	if t := f.sub("workspace", "[workspace] above its lines"); t != nil {
		t.title("name", `"dormouse"`, &l.config.Workspace.Name)
		t.base(&l.config.Workspace.Base)
		if e, items := t.texts("fixtures", `["tests/fixtures/**"]`); e != nil {
			l.config.Workspace.Fixtures = t.globs(e, items)
		}
		t.done()
	}
}

func (l *layer) build(f *fields) {
	if t := f.sub("build", "[build] above its lines"); t != nil {
		t.duration("wait", 0, &l.config.Build.Wait)
		t.duration("timeout", 1, &l.config.Build.Timeout)
		t.choice("serialize", &l.config.Build.Serialize, `write serialize = "link" (one link at a time) or "build" (one build at a time, and one link)`, SerializeLink, SerializeBuild)
		t.done()
	}
}

// choice reads one of a few words.
func (f *fields) choice(key string, into *string, hint string, words ...string) *entry {
	var word string
	e := f.text(key, quoted(words[0]), &word)
	switch {
	case e == nil:
	case slices.Contains(words, word):
		*into = word
		return e
	default:
		f.bad(e, hint, "cannot be %s", quoted(word))
	}
	return nil
}

// links is a number of the machine, for everybody on it. A workspace goes from
// machine to machine and a person's file from workspace to workspace, so asking
// for more than this one allows is no mistake: they get what there is.
func (l *layer) links(f *fields) {
	before, origin := l.config.Links, l.config.origins["links"]
	f.whole("links", 1, maxLinks, &l.config.Links)
	if l.role == machine {
		if _, set := l.config.origins["links"]; set {
			l.config.MachineLinks = l.config.Links
		}
		return
	}
	if l.config.Links <= before {
		return
	}
	l.config.Links = before
	if origin.Line == 0 {
		delete(l.config.origins, "links")
		return
	}
	l.config.origins["links"] = origin
}

func (l *layer) lockDir(f *fields) {
	if !f.only("lock-dir", l.role != workspace, "the machine's or your own file: every workspace must use the same locks") {
		return
	}
	var dir string
	e := f.text("lock-dir", `"/run/lock/gpuci"`, &dir)
	switch {
	case e == nil:
	case !filepath.IsAbs(dir):
		f.bad(e, `write lock-dir = "/run/lock/gpuci"`, "must be an absolute path, not %s", quoted(dir))
	default:
		l.config.LockDir = dir
	}
}

func (l *layer) pressure(f *fields) {
	t := f.sub("pressure", "[pressure] above its lines")
	if t == nil {
		return
	}
	p := &l.config.Pressure
	if io := t.sub("io-full", "io-full = { long = 40, short = 60, resume = 25 }"); io != nil {
		io.whole("long", 0, 100, &p.IOFull.Long)
		io.whole("short", 0, 100, &p.IOFull.Short)
		io.whole("resume", 0, 100, &p.IOFull.Resume)
		io.done()
	}
	t.duration("budget", 0, &p.Budget)
	t.size("min-free", &p.MinFree)
	t.choice("unknown", &p.Unknown, `write unknown = "mark" (go on, marked) or "refuse"`, UnknownMark, UnknownRefuse)
	t.done()
}

// reaper reads which programs a sweep takes for compilers and linkers. A file
// nearer to the workspace says all of them.
func (l *layer) reaper(f *fields) {
	t := f.sub("reaper", "[reaper] above its lines")
	if t == nil {
		return
	}
	if e, items := t.texts("tools", `["ispc"]`); e != nil {
		for _, item := range items {
			if slices.Contains(noTools, item.text) {
				t.add(item.span, "name the program that compiles or links", "%s in [reaper] tools runs anybody's programs: a sweep would end them all", quoted(item.text))
			}
		}
		l.config.Tools = t.programs(e, items, `tools = ["ispc"]`)
	}
	t.done()
}

// noTools are programs that run others' work: as a tool of the family, an orphaned
// one would be ended with all that it runs.
var noTools = []string{
	"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox", "env", "perl", "python", "python3", "ruby", "node", "java",
	"make", "ninja", "cargo", "cmake", "go", "bazel", "sshd", "tmux", "screen", "systemd", "gpuci",
}

// agree checks values that can come from different files against each other.
func (c *Config) agree() Problems {
	io := &c.Pressure.IOFull
	most := min(io.Long, io.Short)
	s, said := c.origins["pressure.io-full.resume"]
	if !said { // then the others may go below the default
		io.Resume = min(io.Resume, most)
	}
	if io.Resume <= most {
		return nil
	}
	msg := fmt.Sprintf("work would resume at %d %% but be held back over %d %%", io.Resume, most)
	return Problems{s.text.problem(s.span, msg, fmt.Sprintf("write resume = %d or less", most))}
}
