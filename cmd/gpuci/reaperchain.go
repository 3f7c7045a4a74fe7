package main

import (
	"fmt"

	"gpuci/reaper"
)

// chainHint says what to do about a chain. What lets go of its children in its
// own session is in that of the last one.
func chainHint(c reaper.Chain) string {
	if c.Session != c.PID && c.Session > 1 {
		return fmt.Sprintf("find what starts %s and end that: ps -fs %d shows who is in its session", c.Program(), c.Session)
	}
	return fmt.Sprintf("find what starts %s and end that: ps -eo pid,ppid,sid,lstart,args; one that starts itself goes with its container or cgroup", c.Program())
}

// chainsText is what the sweep's error says of them.
func chainsText(n int) string {
	return count(n, "program is", "programs are") + " orphaned anew all the time, and nothing was sent"
}

// chainLine is a program that is orphaned anew all the time, with the process of
// it that was seen last.
type chainLine struct {
	suspectLine
	Seen    int     `json:"seen"` // how many different ones
	Seconds float64 `json:"seen-seconds"`
	Text    string  `json:"text"`
	Hint    string  `json:"hint"`
}

func (s swept) chainLines() (out []any) {
	for _, c := range s.Chains {
		out = append(out, chainLine{s.line("chain", c.Judged), c.Seen, round(c.For.Seconds()), c.String(), chainHint(c)})
	}
	return out
}
