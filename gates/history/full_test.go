package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fillJob records until the disk has no room for another result, in the database
// or in the journal, then makes room and looks for all that were kept. It runs in
// a mount namespace of its own, on a disk of 1 MiB.
func fillJob(args []string) error {
	ctx := context.Background()
	disk := args[0]
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "none", disk).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 300<<10), 0o644); err != nil {
		return err
	}
	o := Options{State: filepath.Join(disk, "gpuci"), Wait: time.Second, Note: func(text string) { fmt.Println("note", text) }}
	var kept []string
	var full error
	for i := 0; full == nil && i < 10_000; i++ {
		s, err := Open(ctx, o)
		if err != nil {
			return err
		}
		r := result(fmt.Sprint("r", i))
		r.Findings = []Finding{{"green", strings.Repeat("x", 2000)}}
		if full = s.Record(ctx, r); full == nil {
			kept = append(kept, r.Run)
		}
		if err := s.Close(); err != nil {
			fmt.Println("close", err)
		}
	}
	fmt.Println("full", len(kept), full)
	if err := os.Remove(ballast); err != nil {
		return err
	}
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	var lost []error
	for _, id := range kept {
		if _, err := s.Find(ctx, id); err != nil {
			lost = append(lost, err)
		}
	}
	return errors.Join(lost...)
}

// On a full disk a result is kept or said not to be; what was kept stays.
func TestFull(t *testing.T) {
	needRoot(t)
	unshare, err := exec.LookPath("unshare")
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs unshare")
	} else if err != nil {
		t.Skip("needs unshare")
	}
	cmd := command(t, "fill", t.TempDir())
	cmd.Path, cmd.Args = unshare, []string{"unshare", "-m", "--propagation", "private", must(os.Executable())}
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, want := range []string{"the disk is full", "journal", "no space left on device", "full "} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	_, at, _ := strings.Cut("\n"+said, "\nfull ")
	if n := 0; at == "" || must(fmt.Sscan(at, &n)) != 1 || n < 10 {
		t.Errorf("%d were kept: %s", n, said)
	}
}
