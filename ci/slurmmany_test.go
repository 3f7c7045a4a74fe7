package ci

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// slurmMore are 40 gates of which half fit on one node. All but five go on until a node is
// down.
func slurmMore() string {
	var b strings.Builder
	for i := range 40 {
		wait := "until test -e $LOG.down; do sleep 0.1; done; "
		if i < 5 {
			wait = ""
		}
		fmt.Fprintf(&b, "[[gate]]\nname = \"g%02d\"\nrun = \"%ssleep 0.3; echo g%02d >> $LOG\"\nreader = \"none\"\n\n  [gate.slurm]\n  memory = \"750MiB\"\n\n", i, wait, i)
	}
	return b.String()
}

// slurmMany: of 40 gates over two nodes one node goes down in the middle, and somebody ends
// one job. What ran on that node is run again by Slurm, or lost; nothing is red, and
// nothing is green that did not run to its end.
func slurmMany(s *slurmStage) {
	down, ended, came, there := false, "", 0, 0
	r := s.night(func(o *Options) {
		o.Watch = func(e Event) {
			switch st := e.Status; {
			case st.Phase == executor.Done:
				came++
			case st.Phase == executor.Running && st.Where == s.rig.Nodes[1]:
				there++
			case st.Phase == executor.Running && ended == "" && e.Gate > "g05":
				ended = st.ID
				if out, err := s.rig.Command(context.Background(), "scancel", st.ID).CombinedOutput(); err != nil {
					s.t.Errorf("scancel: %v: %s", err, out)
				}
			}
			if !down && came >= 3 && there >= 5 {
				down = true
				s.rig.StopNode(s.rig.Nodes[1])
				if err := os.WriteFile(os.Getenv("LOG")+".down", nil, 0o644); err != nil {
					s.t.Error(err)
				}
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
