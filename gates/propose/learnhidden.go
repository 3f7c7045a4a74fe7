package propose

import (
	"slices"

	"gpuci/gates/config"
	"gpuci/gates/reader"
)

// unhide proposes to show what passing tests print, where no line of the output had a
// number for people, or none that a bar asks for: it may be hidden, and what is hidden
// teaches nothing.
func (l *lesson) unhide(o *output) {
	missed := slices.ContainsFunc(l.gate.Bars, func(b config.Bar) bool {
		return b.Pattern == "" && !slices.Contains(o.printed.Names(), b.Metric)
	})
	if !missed && len(o.shapes.list)+len(o.printed.Names()) > 0 {
		return
	}
	var runs [][]string
	var hidden []reader.Hidden
	plain := true // each is a list of words, and calls the harness itself
	for _, c := range l.gate.Run {
		argv := c.Argv
		if c.Shell != "" {
			argv, plain = []string{c.Shell}, false
		}
		if h, ok := reader.Hides(l.gate.Reader, argv, l.env()); ok {
			hidden, plain = append(hidden, h), plain && h.Called
			argv = slices.Concat(argv, h.Flags)
		}
		runs = append(runs, argv)
	}
	if len(hidden) > 0 && plain {
		l.run = tomlCommands(runs)
		return
	}
	for _, h := range hidden {
		l.leave("what passing tests print", "%s", h.Text())
	}
}

// env is what the gate adds to the environment.
func (l *lesson) env() (out []string) {
	for name, value := range l.gate.Env {
		out = append(out, name+"="+value)
	}
	return out
}
