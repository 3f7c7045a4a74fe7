package propose

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitTime bounds the question to git, which answers in a few milliseconds.
const gitTime = 5 * time.Second

// ignoredPaths are those of some paths that git ignores, whether they are there
// or not. Without git, or outside of it, ok is false.
func (s *survey) ignoredPaths(ctx context.Context, paths []string) (ignored []string, ok bool) {
	if len(paths) == 0 {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := s.ask(ctx, s.opt.Root, []string{"GIT_OPTIONAL_LOCKS=0"}, append([]string{"git", "-c", "core.quotePath=false", "check-ignore", "--"}, paths...)...)
	var f failed
	if err != nil && (!errors.As(err, &f) || f.exit.Code != 1) { // 1: it ignores none of them
		return nil, false
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		// -z is for --stdin alone; without it, git quotes a name with a quote or a line
		// break as C does.
		if name, err := strconv.Unquote(line); err == nil {
			line = name
		}
		ignored = append(ignored, line)
	}
	return ignored, true
}

// ignored finds what the gates make and git would show as untracked, which
// makes every later verdict one of a changed lane.
func (s *survey) ignored(ctx context.Context) {
	var all []string
	for _, g := range s.gates {
		for _, m := range g.makes {
			if strings.HasSuffix(m, "/") { // whether git ignores a directory shows by what lies in it
				m += "made"
			}
			if !slices.Contains(all, m) && len(all) < maxGates {
				all = append(all, m)
			}
		}
	}
	for _, k := range s.kernels {
		if probe := "target/kernels/" + k.Name + "/made"; len(k.Sources) > 0 {
			all = append(all, probe)
		}
	}
	ignored, ok := s.ignoredPaths(ctx, all)
	for _, probe := range all {
		if ok && !slices.Contains(ignored, probe) {
			s.cut = append(s.cut, strings.TrimSuffix(probe, "made"))
		}
	}
}

// maxAsked bounds the paths that git is asked about at once: a command line.
const maxAsked = 2000

// dropIgnored takes the directories out of the tree that git ignores: what lies
// there is nobody's source.
func (s *survey) dropIgnored(ctx context.Context) {
	var all []string
	for _, d := range s.tree.dirs {
		if d.path != "." && len(all) < maxAsked && (len(d.marks)+len(d.pyTests)+len(d.goTests)+len(d.cu)+len(d.device)+len(d.hosts) > 0) {
			all = append(all, d.path)
		}
	}
	ignored, _ := s.ignoredPaths(ctx, all)
	clear(s.tree.at)
	s.tree.dirs = slices.DeleteFunc(s.tree.dirs, func(d dir) bool {
		return slices.ContainsFunc(ignored, func(top string) bool { return top != "" && under(d.path, top) })
	})
	for i, d := range s.tree.dirs {
		s.tree.at[d.path] = i
	}
}
