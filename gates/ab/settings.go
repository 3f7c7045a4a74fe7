package ab

import (
	"maps"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// settingsOf identifies what of a gate's settings two arms were compared by, and behind a
// dash the same without what makes the arm. It has none of what a comparison makes no use
// of: scope, whose the gate is, bars that no arm is held to (those on times and on a base),
// and variables that both arms set.
func settingsOf(g config.Gate, base, arm Arm) string {
	g.About, g.Owner, g.Scope = "", "", nil
	bars := g.Bars
	g.Bars, g.Metrics = nil, slices.Clone(g.Metrics)
	for _, b := range bars {
		switch {
		case b.AB != nil:
		case b.Atlas != nil || !metric.Timed(b.Metric, b.Unit):
			g.Bars = append(g.Bars, b)
		case b.Pattern != "": // the number is still read so
			g.Metrics = append(g.Metrics, config.Metric{Name: b.Metric, Pattern: b.Pattern, Unit: b.Unit})
		}
	}
	bases, arms := environ(base.Env), environ(arm.Env)
	g.Env = without(g.Env, func(name string) bool { return has(bases, name) && has(arms, name) })
	whole := gates.SettingsID(g)
	g.Env = without(g.Env, func(name string) bool { return has(arms, name) })
	g.Run = withoutWords(g.Run, arm.Args)
	return whole + "-" + gates.SettingsID(g)
}

// sameSettings says whether a gate is still what two arms were compared by: settings are
// those of [Log.settings], or all of the gate's. So it is where the arm became its default.
func sameSettings(settings string, g config.Gate, arms []Arm) bool {
	if len(arms) != 2 || settings == gates.SettingsID(g) {
		return settings == gates.SettingsID(g)
	}
	whole, others, _ := strings.Cut(settings, "-")
	wholeNow, othersNow, _ := strings.Cut(settingsOf(g, arms[0], arms[1]), "-")
	return whole == wholeNow || others == othersNow && isDefault(g, arms[1])
}

// isDefault says whether a gate has the variables and the words of an arm by itself.
func isDefault(g config.Gate, a Arm) bool {
	for name, value := range environ(a.Env) {
		if g.Env[name] != value {
			return false
		}
	}
	last := g.Run[len(g.Run)-1]
	words := append(strings.Fields(last.Shell), last.Argv...)
	return !slices.ContainsFunc(a.Args, func(w string) bool { return !slices.Contains(words, w) })
}

// comparedBy are the settings that each arm of a session is compared by, by its name.
func comparedBy(g config.Gate, arms []Arm) map[string]string {
	out := make(map[string]string)
	for _, a := range arms[1:] {
		out[a.Name] = settingsOf(g, arms[0], a)
	}
	return out
}

// settings are those that a comparison of two arms was made by. A journal of an older
// gpuci has all of the gate's.
func (l *Log) settings() string {
	if len(l.Arms) == 2 && l.Compared[l.Arms[1].Name] != "" {
		return l.Compared[l.Arms[1].Name]
	}
	return l.Settings
}

// environ are variables by name, of which the last of a name counts.
func environ(list []string) map[string]string {
	out := make(map[string]string)
	for _, v := range list {
		name, value, _ := strings.Cut(v, "=")
		out[name] = value
	}
	return out
}

func has(env map[string]string, name string) bool {
	_, ok := env[name]
	return ok
}

// without are variables but for some; nil where none is left, however it came to that.
func without(env map[string]string, drop func(name string) bool) map[string]string {
	env = maps.Clone(env)
	maps.DeleteFunc(env, func(name, _ string) bool { return drop(name) })
	if len(env) == 0 {
		return nil
	}
	return env
}

// withoutWords are commands of which the last has none of some words.
func withoutWords(run []config.Command, words []string) []config.Command {
	if len(run) == 0 || len(words) == 0 {
		return run
	}
	run = slices.Clone(run)
	last := &run[len(run)-1]
	isOne := func(w string) bool { return slices.Contains(words, w) }
	last.Argv = slices.DeleteFunc(slices.Clone(last.Argv), isOne)
	last.Shell = strings.Join(slices.DeleteFunc(strings.Fields(last.Shell), isOne), " ")
	return run
}
