//go:build bench

package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// aimNothing is the issue's: a build of 100 sources that has nothing to do.
const aimNothing = 60 * time.Millisecond

// A build with nothing to do, beside ninja's of the same sources, headers and
// compiler, whose times are taken in turns.
func TestBenchNothing(t *testing.T) {
	s := newStage(t, "inc/h.h", "#define K 2\n").real()
	for i := range 100 {
		s.file(fmt.Sprintf("k/a%d.cu", i), fmt.Sprintf("#define N%d\n", i)+add)
	}
	s.set.Include = []string{"inc"}
	ninja, err := exec.LookPath("ninja")
	if err != nil {
		need(t, "ninja")
	}
	s.want(s.only(), 100)
	var rules strings.Builder
	fmt.Fprintf(&rules, "rule nvcc\n  command = %s -cubin -arch=sm_90 -Iinc -MD -MF $out.d -o $out $in\n  depfile = $out.d\n  deps = gcc\n", s.o.Compiler.Path)
	for i := range 100 {
		fmt.Fprintf(&rules, "build n/a%d.cubin: nvcc k/a%d.cu\n", i, i)
	}
	s.file("build.ninja", rules.String())
	with := func() {
		cmd := exec.Command(ninja, "-C", s.root)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	with()
	time.Sleep(2 * settle) // until stamps may be believed; it is no synchronisation
	s.only()
	var ours, theirs []time.Duration
	for range 21 {
		begun := time.Now()
		if r := s.only(); r.Count(Current) != 100 {
			t.Fatal(told(r))
		}
		ours = append(ours, time.Since(begun))
		begun = time.Now()
		with()
		theirs = append(theirs, time.Since(begun))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	var kept int64
	filepath.Walk(s.o.Cache, func(_ string, info os.FileInfo, _ error) error { kept += info.Size(); return nil })
	t.Logf("nothing to do for 100 sources: %v (%v to %v), ninja %v (%v to %v); the cache has %d KiB",
		ours[10], ours[0], ours[20], theirs[10], theirs[0], theirs[20], kept>>10)
	if ours[10] > aimNothing {
		t.Errorf("more than the aim of %v", aimNothing)
	}
}
