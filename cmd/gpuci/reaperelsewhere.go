package main

import (
	"fmt"
	"strings"

	"gpuci/buildlock"
	"gpuci/reaper"
)

// leakedLane is a lane that was not asked for, in which something is leaked.
type leakedLane struct {
	lane string
	n    int // leaked processes
}

// elsewhere finds what is leaked in the lanes that are not meant, in their
// order. Nobody is told of it by a look at a lane that is clean.
func (g ground) elsewhere(p reaper.Picture) (out []leakedLane, err error) {
	if len(g.meant) == len(g.lanes) {
		return nil, nil
	}
	o := g.options()
	j, err := reaper.Judge(p, o.Lanes, func(lane string) bool { return !g.meant[lane] }, o.Rules)
	if err != nil {
		return nil, err
	}
	n := make(map[string]int)
	for _, x := range j.Judged {
		if x.Leaked {
			n[x.Lane]++
		}
	}
	for _, t := range g.lanes {
		if n[t.Name] > 0 {
			out = append(out, leakedLane{t.Name, n[t.Name]})
		}
	}
	return out, nil
}

// elsewhereText is what is leaked elsewhere in one line, and what ends it; ""
// where nothing is.
func elsewhereText(list []leakedLane) string {
	if len(list) == 0 {
		return ""
	}
	var parts, flags []string
	for _, l := range list {
		parts = append(parts, fmt.Sprintf("%s in lane %s", count(l.n, "leaked process", "leaked processes"), l.lane))
		flags = append(flags, " --lane "+l.lane)
	}
	return buildlock.Printable(fmt.Sprintf("not asked for: %s; gpuci reaper sweep%s ends them", strings.Join(parts, ", "), strings.Join(flags, "")))
}

// elsewhereLine is the same in JSON.
type elsewhereLine struct {
	Type   string `json:"type"` // always "elsewhere"
	Lane   string `json:"lane"`
	Root   string `json:"root"`
	Leaked int    `json:"leaked-processes"`
}

func (g ground) elsewhereLines(list []leakedLane) (out []any) {
	for _, l := range list {
		out = append(out, elsewhereLine{"elsewhere", l.lane, g.root(l.lane), l.n})
	}
	return out
}
