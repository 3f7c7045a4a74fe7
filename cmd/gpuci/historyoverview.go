package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// latestLine is the last outcome of a gate in a lane, in JSON.
type latestLine struct {
	Type string `json:"type"` // always "latest"
	history.Result
	Stale   string `json:"stale,omitempty"`   // what has changed since
	Unknown string `json:"unknown,omitempty"` // why that cannot be told
	Gone    bool   `json:"gone,omitempty"`    // gpuci.toml has no such gate any more
}

// overview shows the last outcome of each gate in each lane.
func (a *app) overview(ctx context.Context, p past) error {
	list, err := p.store.Latest(ctx)
	if err != nil {
		return unread(err)
	}
	known := make(map[string]bool)
	for _, r := range list {
		known[r.Lane] = true
	}
	lanes, err := p.lanes(ctx, known)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(r history.Result) bool {
		return lanes[0] != "" && !slices.Contains(lanes, r.Lane) || r.Started.Before(p.since)
	})
	lines := p.latest(ctx, list)
	a.ofBundle(lines)
	if p.flags.json {
		for _, l := range lines {
			if err := a.jsonLine(l); err != nil {
				return err
			}
		}
		return a.aside(ctx, p, "")
	}
	if len(lines) == 0 {
		err = a.nothingYet(p.cfg)
	} else {
		err = a.overviewText(p, lines)
	}
	if err != nil {
		return err
	}
	return a.aside(ctx, p, "")
}

// nothingYet says what to do where nothing has run.
func (a *app) nothingYet(cfg *config.Config) error {
	next := "gpuci gate --all runs what there is"
	if len(cfg.Gates) == 0 {
		next = "gpuci init proposes gates"
	}
	_, err := fmt.Fprintf(a.out, "no results yet: %s\n", next)
	return err
}

// latest says of each result whether it still holds.
func (p past) latest(ctx context.Context, list []history.Result) []latestLine {
	stale := gates.Staleness(ctx, p.cfg, p.lane, list)
	out := make([]latestLine, len(list))
	for i, r := range list {
		_, there := p.cfg.Gate(r.Gate)
		out[i] = latestLine{Type: "latest", Result: r, Stale: stale[i].Text, Unknown: stale[i].Unknown, Gone: !there}
	}
	return out
}

// ofBundle says of results in a bundle which are of another one that was unpacked here
// before.
func (a *app) ofBundle(lines []latestLine) {
	if a.bundle == nil {
		return
	}
	for i, l := range lines {
		if l.Lane == bundleLane && (l.Commit != a.bundle.Commit || l.Changes != a.bundle.Changes) {
			lines[i].Stale = "it is of another bundle; this one is of " + commitText(history.Result{Commit: a.bundle.Commit, Changes: a.bundle.Changes})
		}
	}
}

func (a *app) overviewText(p past, lines []latestLine) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	lane := ""
	for _, l := range lines {
		if l.Lane != lane {
			lane = l.Lane
			fmt.Fprintf(w, "lane %s\n", printable(orNone(lane)))
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(nonempty(printable(l.Gate), l.Outcome, commitText(l.Result), agoText(time.Since(l.Started)), l.note()), "\t"))
	}
	return w.Flush()
}

// note is what a reader must know of an outcome.
func (l latestLine) note() string {
	var out []string
	switch {
	case l.Gone:
		out = append(out, "not in gpuci.toml any more")
	case l.Stale != "":
		out = append(out, "stale: "+printable(l.Stale))
	case l.Unknown != "":
		out = append(out, "stale? "+printable(l.Unknown))
	}
	if why := reason(l.Result); why != "" {
		out = append(out, why)
	}
	return strings.Join(out, "; ")
}

// commitText is what a result holds for.
func commitText(r history.Result) string {
	switch {
	case r.Commit == "":
		return "no commit"
	case r.Changes != "":
		return fmt.Sprintf("%.10s+", r.Commit)
	}
	return fmt.Sprintf("%.10s", r.Commit)
}

// agoText is how long ago, to what a person cares about.
func agoText(d time.Duration) string {
	switch {
	case d < -time.Minute:
		return "in the future"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// sweptText is one process that was ended, on one line.
func sweptText(w io.Writer, k history.Kill) error {
	program := k.Tool
	if program == "" {
		program = k.Comm
	}
	by := "by hand"
	if k.Run != "" {
		by = "by run " + k.Run
	}
	became := "gone"
	if k.Left {
		became = "still there"
	}
	_, err := fmt.Fprintf(w, "%s  %s (pid %d, lane %s), %s old, %s after %s, %s: %s\n", k.Time.Local().Format("2006-01-02 15:04:05"),
		printable(program), k.PID, printable(orNone(k.Lane)), secondsText(seconds(k.Age)), became, tookText(seconds(k.Took)), by, printable(k.Why))
	return err
}

type sweptLine struct {
	Type string `json:"type"` // always "kill"
	history.Kill
}

// swept shows what was ended as leaked, the newest first.
func (a *app) swept(ctx context.Context, p past) error {
	kills, err := p.store.Kills(ctx, history.Query{Since: p.since})
	if err != nil {
		return unread(err)
	}
	shown := 0
	for _, k := range kills {
		if len(p.flags.lanes) > 0 && !slices.Contains(p.flags.lanes, k.Lane) {
			continue
		}
		if shown++; shown > p.flags.limit {
			break
		}
		if p.flags.json {
			err = a.jsonLine(sweptLine{"kill", k})
		} else {
			err = sweptText(a.out, k)
		}
		if err != nil {
			return err
		}
	}
	if shown == 0 && !p.flags.json {
		_, err = fmt.Fprintln(a.out, "nothing was swept")
	}
	return err
}
