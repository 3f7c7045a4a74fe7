package main

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure/plot"
)

// linkBars are the links at work, in line and held back. over says that the
// build is over, and so are all of its links.
func linkBars(events []buildlock.LinkEvent, over bool) (out []plot.Bar) {
	ended := make(map[string]time.Time)
	for _, e := range events {
		if e.Outcome == buildlock.Ended {
			ended[e.Ticket] = e.Time
		}
	}
	for _, e := range events {
		label, what := namesOf(e)
		detail := strings.TrimSpace(fmt.Sprintf("%s, pid %d %s", what, e.PID, e.Ticket))
		held := min(e.Held, e.Waited)
		began := e.Time.Add(-held)
		switch e.Outcome {
		case buildlock.Ticketed, buildlock.TimedOut, buildlock.Failed:
			if e.Waited > held {
				out = append(out, plot.Bar{Kind: plot.Wait, Label: label, Detail: detail, From: e.Time.Add(-e.Waited), To: began})
			}
			if held > 0 {
				out = append(out, plot.Bar{Kind: plot.Hold, Label: label, Detail: detail, From: began, To: e.Time})
			}
		}
		if e.Outcome != buildlock.Ticketed {
			continue
		}
		to, seen := ended[e.Ticket]
		if !seen && over {
			detail, to = detail+"; its end was not seen", e.Time
		}
		out = append(out, plot.Bar{Kind: plot.Link, Label: label, Detail: detail, From: e.Time, To: to})
	}
	return out
}

// namesOf is what a link is called in a bar, where there is little room, and
// where there is more: of "cc -o target/debug/attn" that is "attn" first. A
// journal of an older gpuci has the tool alone.
func namesOf(e buildlock.LinkEvent) (label, what string) {
	label, what = e.Tool, cmp.Or(e.What, e.Tool)
	if _, made, ok := strings.Cut(e.What, " -o "); ok && strings.Trim(made, "/. ") != "" {
		label = path.Base(strings.TrimSpace(made))
	}
	return label, what
}
