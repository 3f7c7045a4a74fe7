package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// slurmMore are 40 gates, each of which takes a moment.
func slurmMore() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "[[gate]]\nname = \"g%02d\"\nrun = \"sleep 0.5; echo g%02d >> $LOG\"\nreader = \"none\"\n\n", i, i)
	}
	return b.String()
}

// slurmMany: of 40 gates over two nodes one node goes down in the middle, and somebody ends
// one job. What ran on that node is run again by Slurm, or lost; nothing is red, and
// nothing is green that did not run to its end.
func slurmMany(s *slurmStage) {
	down, ended, came := false, "", 0
	r := s.night(func(o *Options) {
		o.Watch = func(e Event) {
			switch st := e.Status; {
			case st.Phase == executor.Done:
				came++
			case st.Phase != executor.Running:
			case ended == "":
				ended = st.ID
				if out, err := s.rig.Command(context.Background(), "scancel", st.ID).CombinedOutput(); err != nil {
					s.t.Errorf("scancel: %v: %s", err, out)
				}
			case !down && came >= 5 && st.Where == s.rig.Nodes[1]:
				down = true
				s.rig.StopNode(s.rig.Nodes[1])
			}
		}
	})
	if err := s.rig.StartNode(s.rig.Nodes[1]); err != nil {
		s.t.Error(err)
	}
	if !down || ended == "" {
		s.t.Errorf("a node went down: %v; a job was ended: %q", down, ended)
	}
	ran, count := s.ran(), make(map[string]int)
	for _, c := range mustLane(s.t, r, "main").Cells {
		count[c.word()]++
		if lost := c.Outcome == gates.Refused || c.Outcome == gates.Broken; c.Outcome != gates.Green && (!lost || c.Why == "") {
			s.t.Errorf("%s: %s: %s", c.Gate, c.word(), c.Why)
		}
		if c.Outcome == gates.Green && !slices.Contains(ran, c.Gate) {
			s.t.Errorf("%s is green, and did not run to its end", c.Gate)
		}
	}
	if len(r.Lanes[0].Cells) != 40 || count["refused"] == 0 || count["green"] < 30 {
		s.t.Errorf("came to %v", count)
	}
	s.t.Logf("came to %v", count)
	s.closed()
}
