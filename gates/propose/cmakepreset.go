package propose

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cmakePreset is what we read of a configure preset
// (https://cmake.org/cmake/help/latest/manual/cmake-presets.7.html).
type cmakePreset struct {
	Name, Generator string
	Hidden          bool
	Inherits        any
	Condition       any
}

// preset is the configure preset to build with: the first that is for people
// and has no condition, and whose generator is here; one called default goes
// before it. "" is none.
func (s *survey) preset(at string) string {
	file := path.Join(at, "CMakePresets.json")
	text, err := s.readText(file)
	if err != nil {
		return ""
	}
	var presets struct {
		Configure []cmakePreset `json:"configurePresets"`
	}
	if err := json.Unmarshal([]byte(text), &presets); err != nil {
		s.leave(file, "cannot be read: %v", err)
		return ""
	}
	all := presets.Configure
	slices.SortStableFunc(all, func(a, b cmakePreset) int { return btoi(b.Name == "default") - btoi(a.Name == "default") })
	for _, p := range all {
		if !p.Hidden && p.Condition == nil && p.Name != "" && s.generatorHere(generatorOf(p, all, 0)) {
			return p.Name
		}
	}
	return ""
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxInherit bounds a chain of presets, which could be a ring.
const maxInherit = 10

func generatorOf(p cmakePreset, all []cmakePreset, depth int) string {
	if p.Generator != "" || depth == maxInherit {
		return p.Generator
	}
	for _, name := range oneOrMany(p.Inherits) {
		i := slices.IndexFunc(all, func(q cmakePreset) bool { return q.Name == name })
		if i < 0 {
			continue
		}
		if g := generatorOf(all[i], all, depth+1); g != "" {
			return g
		}
	}
	return ""
}

// generatorHere says whether a generator's program is on PATH.
func (s *survey) generatorHere(generator string) bool {
	switch {
	case strings.HasPrefix(generator, "Ninja"):
		return s.onPath("ninja")
	case strings.HasPrefix(generator, "Visual Studio"), generator == "Xcode", strings.Contains(generator, "MinGW"), strings.HasPrefix(generator, "NMake"):
		return false
	}
	return true
}

// onPath says whether a program is on the PATH of the tools.
func (s *survey) onPath(name string) bool {
	for i := len(s.opt.Env) - 1; i >= 0; i-- {
		list, ok := strings.CutPrefix(s.opt.Env[i], "PATH=")
		if !ok {
			continue
		}
		return slices.ContainsFunc(filepath.SplitList(list), func(dir string) bool {
			info, err := os.Stat(filepath.Join(dir, name))
			return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
		})
	}
	return false
}
