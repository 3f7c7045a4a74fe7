package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A group that never answers is told as unknown, and holds nobody up.
func TestRunGroupsBounded(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := runGroups(t.Context(), []group{
		{"hung", func(context.Context) []check { <-never; return nil }},
		{"well", func(context.Context) []check { return []check{fine("a", "b")} }},
	}, 50*time.Millisecond)
	if len(r) != 2 || r[0].State != stateUnknown || !strings.Contains(r[0].Value, "did not answer") || r[1].State != stateOK || r[1].Group != "well" {
		t.Errorf("%+v", r)
	}
}

func TestReportExit(t *testing.T) {
	a, b := lost("a", "", "", "get a"), broken("b", "", "", "get b")
	stop, wrong := broken("c", "", "", "get c").stops(69), broken("d", "", "", "get d").stops(78)
	for _, c := range []struct {
		r     report
		exit  int
		first string
	}{
		{report{fine("x", "")}, 0, ""},
		{report{fine("x", ""), a}, 0, "get a"},
		{report{a, b}, 0, "get b"},
		{report{a, b, stop}, 69, "get c"},
		{report{stop, wrong}, 78, "get c"},
	} {
		s := c.r.sum()
		if s.Exit != c.exit || !strings.HasSuffix(s.First, c.first) || (c.first == "") != (s.First == "") {
			t.Errorf("%+v: %+v", c.r, s)
		}
	}
}
