//go:build bench

package ci

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/ci/slurm/slurmtest"
)

// TestBenchSlurm: a night of a thousand gates on a real Slurm of two nodes, all on this
// machine: what of it is our own. And one of few at a time, so that the nodes are not what
// is measured: how long after a gate's end its outcome is told. That has the node's part in
// it, which gives the result back and ends the job.
func TestBenchSlurm(t *testing.T) {
	rig := slurmtest.Start(t, slurmtest.Options{})
	gpuci := program(t)
	many := 1000
	if n, err := strconv.Atoi(os.Getenv("GPUCI_BENCH_GATES")); err == nil {
		many = n
	}
	t.Run("many", func(t *testing.T) { benchSlurm(t, rig, gpuci, many, 50) })
	t.Run("few", func(t *testing.T) { benchSlurm(t, rig, gpuci, 20, 2) })
}

func benchSlurm(t *testing.T, rig *slurmtest.Rig, gpuci string, perNight, inFlight int) {
	var toml strings.Builder
	fmt.Fprintf(&toml, "in-flight = %d\n\n", inFlight)
	for i := range perNight {
		fmt.Fprintf(&toml, "[[gate]]\nname = \"g%04d\"\nrun = [\"true\"]\nreader = \"none\"\n\n", i)
	}
	s := newSlurmStage(t, rig, gpuci, toml.String())
	used := filepath.Join(s.home, "used")
	cmd := s.child(childUsed + "=" + used)
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(used)
	if err != nil {
		t.Fatal(err)
	}
	own, err := time.ParseDuration(string(data) + "ns")
	if err != nil {
		t.Fatal(err)
	}
	_, ran, _, _ := r.Sums()
	if ran != perNight {
		t.Fatalf("of %d gates %d ran", perNight, ran)
	}
	waits := s.told(r)
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 / float64(perNight) }
	t.Logf("%d gates, %d in flight: %.2f ms of our own CPU a gate (at most 20 ms), %.1f ms of wall with Slurm and the nodes on this machine", perNight, inFlight, each(own), each(took))
	t.Logf("from a gate's end to its outcome told: median %s, 99 %% %s, most %s (at most 2 s from the job's end)", waits[len(waits)/2], waits[len(waits)*99/100], waits[len(waits)-1])
	s.closed()
}

// told is how long after the end of each gate the journal has its outcome.
func (s *slurmStage) told(r Report) (list []time.Duration) {
	s.t.Helper()
	lines, _, err := readJournal(books{filepath.Join(s.dir, ".git/gpuci/ci")}.night(r.Night))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range lines {
		for _, c := range l.Cells {
			if l.Type == done && c.State == Ran {
				list = append(list, l.At.Sub(c.Started.Add(time.Duration(c.Seconds*float64(time.Second)))).Round(time.Millisecond))
			}
		}
	}
	slices.Sort(list)
	return list
}
