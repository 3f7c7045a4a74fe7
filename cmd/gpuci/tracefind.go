package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// list gives the recordings, the newest first.
func (s traceStore) list() (list []storedTrace, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list the recordings: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == namedTraces {
			continue
		}
		t := storedTrace{ID: e.Name(), Dir: filepath.Join(s.dir, e.Name())}
		t.Meta, _ = trace.ReadMeta(t.Dir)
		list = append(list, t)
	}
	list = append(list, s.named()...)
	slices.SortFunc(list, func(a, b storedTrace) int {
		return cmp.Or(b.second(a), b.began().Compare(a.began()), cmp.Compare(b.ID, a.ID))
	})
	return list, nil
}

// second compares the times that ids begin with, which have no parts of a second.
func (t storedTrace) second(o storedTrace) int {
	const digits = len("20261201T000000Z")
	return cmp.Compare(t.ID[:min(len(t.ID), digits)], o.ID[:min(len(o.ID), digits)])
}

// began tells those of one second apart.
func (t storedTrace) began() (at time.Time) {
	if t.Meta != nil {
		at = t.Meta.Began
	}
	return at
}

// path is a word of the user's as a path.
func (s traceStore) path(word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(s.place.dir, word)
}

// find is the recording that a word means: a directory, an id or the beginning or the end
// of one; without a word the newest of this lane, or outside of a repository of this directory.
func (s traceStore) find(word string) (storedTrace, error) {
	if info, err := os.Stat(s.path(word)); word != "" && err == nil && info.IsDir() {
		meta, _ := trace.ReadMeta(s.path(word))
		return storedTrace{ID: filepath.Base(word), Dir: s.path(word), Meta: meta}, nil
	}
	list, err := s.list()
	if err != nil {
		return storedTrace{}, err
	}
	var ids []string
	for _, t := range list {
		if word == "" && s.own(t) {
			return t, nil
		}
		if t.ID == word {
			return t, nil
		}
		ids = append(ids, t.ID)
	}
	if word == "" {
		return storedTrace{}, coded{gates.ExitNothing, "there is no recording of " + s.whose() + " yet", "gpuci trace -- CMD makes one; gpuci trace list says what there is of others"}
	}
	if t, ok := s.ofRun(word); ok {
		return t, nil
	}
	return s.meant(word, list, ids)
}

// own says whether a recording is one of this lane. Elsewhere those of all directories lie
// together, and it is one of a program that ran in this.
func (s traceStore) own(t storedTrace) bool {
	if s.lane.Name != "" {
		return t.Meta == nil || t.Meta.Lane == s.lane.Name
	}
	return t.Meta != nil && t.Meta.Lane == "" && t.Meta.Cwd == s.place.dir
}

// meant finds a recording by a part of its id that only it has.
func (s traceStore) meant(word string, list []storedTrace, ids []string) (storedTrace, error) {
	var meant []storedTrace
	for _, t := range list {
		if strings.HasPrefix(t.ID, word) || strings.HasSuffix(t.ID, word) {
			meant = append(meant, t)
		}
	}
	switch len(meant) {
	case 1:
		return meant[0], nil
	case 0:
		if id, is := s.runWithout(word); is {
			return storedTrace{}, coded{gates.ExitNothing, fmt.Sprintf("the run %s of a gate has no recording", printable(id)), "only a gate with [gate.trace] makes one, and the newest 20 of these runs keep theirs: run it again"}
		}
		return storedTrace{}, coded{gates.ExitNothing, fmt.Sprintf("there is no recording %s, and no such directory", printable(word)), nearHint(word, ids, "gpuci trace list says what there is")}
	}
	return storedTrace{}, coded{gates.ExitUsage, fmt.Sprintf("%s is %d recordings, from %s to %s", printable(word), len(meant), meant[len(meant)-1].ID, meant[0].ID), "write more of the id"}
}

func (s traceStore) whose() string {
	if s.lane.Name == "" {
		return "a program that ran in " + printable(s.place.dir)
	}
	return "lane " + printable(s.lane.Name)
}
