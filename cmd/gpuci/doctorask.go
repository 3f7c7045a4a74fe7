package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/reaper/proc"
)

// tool is a tool, and what it said when it was asked for its version.
type tool struct {
	kit
	path   string // "" where it is not here
	text   string // all it said
	failed string // why it said nothing of use
}

// The bounds on asking. rustup takes a second to find its own on a busy machine, and python3 some;
// what takes longer than askTime hangs a build too.
const (
	askers   = 4 // at once: the machine is somebody's
	askTime  = 10 * time.Second
	askLimit = 60 * time.Second // of all together
)

// ask finds the tools and asks each for its version.
func (d *doctor) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	d.cuda = d.findNVCC(ctx, kernels.Set{})
	list := append(kits(), d.cudaToAsk()...)
	todo, said := make(chan kit), make(chan tool, len(list))
	for range askers {
		go func() {
			for k := range todo {
				said <- d.askOne(ctx, k)
			}
		}()
	}
	go func() {
		defer close(todo)
		for _, k := range list {
			todo <- k
		}
	}()
	d.answers = make(map[string]tool, len(list))
	late := time.After(askLimit + 2*time.Second) // those that were being asked have been ended by then
	for range list {
		select {
		case t := <-said:
			d.answers[t.name] = t
		case <-late:
			d.unanswered(list)
			return
		}
	}
}

// unanswered notes the tools whose files did not even let themselves be opened.
func (d *doctor) unanswered(list []kit) {
	for _, k := range list {
		if _, ok := d.answers[k.name]; !ok {
			d.answers[k.name] = tool{kit: k, path: k.name, failed: "it was not reached in time: is PATH on a server that does not answer?"}
		}
	}
}

func (d *doctor) askOne(ctx context.Context, k kit) tool {
	t := tool{kit: k}
	path, err := proc.LookPath(k.name, d.place.dir, d.env)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return t
	case err != nil:
		t.path, t.failed = k.name, err.Error()
		return t
	case strings.Contains(k.name, "/"): // one that is not on PATH
		if !executableFile(path) {
			return t
		}
	}
	t.path = path
	args := k.args
	if args == nil {
		args = []string{"--version"}
	}
	a, err := gates.Ask(ctx, askTime, append([]string{path}, args...), d.place.dir, askEnv(d.env))
	t.text, t.failed = a.Text, a.Failed
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, proc.ErrNoStart):
		t.failed = fmt.Sprintf("it hangs: no answer to %s within %v", strings.Join(args, " "), askTime)
	case err != nil:
		t.failed = err.Error()
	case a.Failed != "":
		t.failed = fmt.Sprintf("%s to %s: %s", a.Failed, strings.Join(args, " "), lastLine(a.Text))
	}
	if len(a.Left) > 0 {
		t.failed += "; could not be ended: " + strings.Join(a.Left, ", ")
	}
	return t
}

// askEnv keeps tools that are asked for their version from fetching what a file
// of the lane's asks for (a toolchain of go's or rustup's), and from leaving
// files of theirs behind (bytecode, go's counters, rustup's first settings).
func askEnv(env []string) []string {
	env = slices.Clone(env)
	for _, v := range [][2]string{
		{"GOTOOLCHAIN", "local"}, {"XDG_CONFIG_HOME", "/dev/null"},
		{"RUSTUP_AUTO_INSTALL", "0"}, {"RUSTUP_DIST_SERVER", "file:///dev/null"},
		{"PYTHONDONTWRITEBYTECODE", "1"}, {"GIT_OPTIONAL_LOCKS", "0"}, {"LC_ALL", "C"},
	} {
		env = shim.With(env, v[0], v[1])
	}
	if !hasRustup(env) {
		env = shim.With(env, "RUSTUP_HOME", "/dev/null")
	}
	return env
}

// hasRustup says whether rustup has toolchains here.
func hasRustup(env []string) bool {
	home, _ := shim.Lookup(env, "HOME")
	own, _ := shim.Lookup(env, "RUSTUP_HOME")
	return isFile(filepath.Join(cmp.Or(own, filepath.Join(home, ".rustup")), "settings.toml"))
}

// lastLine is the last line that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// check is what is to be said of a tool that nobody in particular needs.
func (t tool) check() check {
	switch {
	case t.path == "":
		c := fine(t.name, "not here, and nothing here names it")
		c.brief, c.Get = true, t.get
		return c
	case t.failed != "":
		return broken(t.name, t.failed, "what calls it hangs or fails", "run "+t.path+" by hand, in this directory").at(t.path)
	}
	c := check{Name: t.name, State: stateOK, Path: t.path, Version: versionIn(t.text), brief: true}
	return c
}

// needed is the same of one that somebody names.
func (t tool) needed(by string) check {
	if t.path != "" {
		return t.check()
	}
	without := "not here"
	if t.lost != "" {
		return lost(t.name, without+", and "+by, t.lost, t.get)
	}
	return lost(t.name, without, by, t.get)
}
