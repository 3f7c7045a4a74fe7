package ab

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// differ refuses two arms that are one, and arms that are not what they were when the
// comparison began.
func (s *session) differ() error {
	var all []*side
	for i, d := range s.sides {
		switch {
		case !d.twin:
			all = append(all, d)
		case d.tree != s.sides[i-1].tree:
			return &ArmError{fmt.Sprintf("arm %s changed while it was copied", d.Name), "run it again when nobody writes there, or name a commit"}
		}
	}
	for i, a := range all {
		for _, b := range all[:i] {
			same := s.same(a, b)
			switch {
			case same && !s.log().AA:
				return &SameError{ArmError{fmt.Sprintf("arms %s and %s are the same: one tree, environment and arguments", b.Name, a.Name), "--aa compares an arm with itself"}}
			case !same && s.log().AA:
				return &ArmError{fmt.Sprintf("arms %s and %s are not the same, as --aa asks", b.Name, a.Name), "leave --aa out"}
			}
		}
	}
	for _, d := range s.sides {
		if err := s.otherwise(d); err != nil {
			return err
		}
		was := s.log().built(d.Name, d.twin)
		if was != nil && (was.Tree != d.tree || d.tree == "") {
			return &ArmError{fmt.Sprintf("arm %s is not what it was when the comparison began (%s)", d.Name, d.Spec()), "begin anew, without --resume"}
		}
	}
	return nil
}

// same says whether two arms are one.
func (s *session) same(a, b *side) bool {
	return a.tree != "" && a.tree == b.tree && maps.Equal(s.environment(a), s.environment(b)) && slices.Equal(a.Args, b.Args)
}

// environment is what the gate and an arm set, by name.
func (s *session) environment(d *side) map[string]string {
	all := maps.Clone(s.o.Gate.Env)
	for _, v := range d.Env {
		name, value, _ := strings.Cut(v, "=")
		if all == nil {
			all = make(map[string]string)
		}
		all[name] = value
	}
	return all
}

// otherwise looks whether the gate is another one in an arm's own settings. Both arms are
// run by those of the lane that we stand in: an edit of the settings would do nothing, and
// what is otherwise in a commit's is no part of the comparison.
func (s *session) otherwise(d *side) error {
	cfg, err := config.Load(config.DefaultSources(filepath.Join(d.root, config.FileName)))
	if d.twin || err != nil { // it may be of another gpuci's time: nobody reads it
		return nil
	}
	g, ok := cfg.Gate(s.o.Gate.Name)
	if !ok || gates.SettingsID(*g) == gates.SettingsID(s.o.Gate) {
		return nil
	}
	if slices.ContainsFunc(d.Edits, func(e Edit) bool { return e.File == config.FileName }) {
		return &ArmError{fmt.Sprintf("arm %s: gate %s is run by the %s of this lane in both arms, and its edit of that would do nothing", d.Name, g.Name, config.FileName),
			"say it by env:K=V or args:WORDS, or let the gate run a script and edit that"}
	}
	return s.mark(d.Name, fmt.Sprintf("arm %s: its own %s has gate %s otherwise; both arms are run by that of this lane", d.Name, config.FileName, g.Name))
}
