package ab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/ci/smalldisk"
)

// A comparison that a full disk ended goes on with all that was kept once there is room, and
// one that it let not begin leaves no journal that nobody could go on with.
func TestDiskFull(t *testing.T) {
	disk := smalldisk.Run(t, "64k")
	if disk == "" {
		return
	}
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	if _, err := newJournal(disk, someSession()); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("it begins on a full disk: %v", err)
	}
	if left, err := os.ReadDir(journals(disk)); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := os.Truncate(ballast, 40<<10); err != nil {
		t.Fatal(err)
	}
	j, err := newJournal(disk, someSession())
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; err == nil && n < 10_000; n++ {
		for _, p := range j.Log.Plan.Round(n) {
			if err = j.add(line{Sample: sampleAt(p, 1)}); err != nil {
				break
			}
		}
	}
	kept := j.Log.Samples
	if !errors.Is(err, unix.ENOSPC) || len(kept) == 0 {
		t.Fatalf("%d samples, then %v", len(kept), err)
	}
	s := session{journal: j, report: &Report{End: End{State: Stopped, Why: string(make([]byte, 8<<10))}}}
	if err := s.end(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("its end is written down: %v", err)
	}
	j.Close()
	if log, err := ReadLog(disk, someID); err != nil || len(log.Samples) != len(kept) || !log.Unfinished() || Held(disk, someID) {
		t.Fatalf("of %d samples there are %d; %v", len(kept), len(log.Samples), err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if j, err = openJournal(disk, someID); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.add(line{End: &End{State: Answered}}); err != nil {
		t.Fatal(err)
	}
	if log, err := ReadLog(disk, someID); err != nil || len(log.Samples) != len(kept) || log.Unfinished() {
		t.Errorf("%d samples, %v", len(log.Samples), err)
	}
}
