package link

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// TestSlots: the environment may lower the number of links and never raise it.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		settings int
		env      string
		want     int
	}{{0, "", 0}, {2, "", 2}, {0, "3", 3}, {2, "3", 2}, {2, "1", 1}} {
		if got, err := slots(c.settings, c.env); got != c.want || err != nil {
			t.Errorf("%d, %q: %d, %v; want %d", c.settings, c.env, got, err, c.want)
		}
	}
	for _, env := range []string{"0", "-1", "all", "1.5"} {
		if n, err := slots(2, env); err == nil {
			t.Errorf("%q is %d links", env, n)
		}
	}
}

func TestDescribed(t *testing.T) {
	for args, want := range map[string]string{
		"/bin/cc a.o -o x b.o": "cc -o x", "/bin/cc a.o -o": "cc a.o -o", "/bin/cc": "cc ",
		"cc 1 2 3 4 5 6 7 8 9": "cc 1 2 3 4 5 6 7 8",
	} {
		if got := described(shim.Plan{Tool: "cc", Args: strings.Fields(args)}); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	c := Call{Env: []string{"GPUCI_LOCK_DIR=/l", "GPUCI_WAIT=-1s", "GPUCI_LANE=kda", "GPUCI_LANE_ROOT=/kda", "GPUCI_COMMAND=make", "GPUCI_BUILD=b1", "GPUCI_TICKETS=link-1"}}
	o, err := c.options(shim.Plan{Tool: "cc", Args: []string{"cc"}}, "")
	if err != nil || o.Dir != "/l" || o.Wait >= 0 || o.Who.Lane != "kda" || o.Who.Root != "/kda" || o.Who.Command != "make" || o.Who.Build != "b1" || o.Marks != "link-1" {
		t.Errorf("%+v, %v", o, err)
	}
	c.Env = nil
	if o, err = c.options(shim.Plan{Tool: "cc", Args: []string{"cc", "a.o"}}, ""); err != nil || o.Wait != buildlock.DefaultWait || o.Who.Command != "cc a.o" {
		t.Errorf("%+v, %v", o, err)
	}
}

// What had no ticket says how long it waited, why, and what to do about it: to
// whoever watches, and on stderr.
func TestRefused(t *testing.T) {
	full := fmt.Errorf("%w: write ticket: %w", buildlock.ErrUnfit, syscall.ENOSPC)
	for _, c := range []struct {
		err     error
		outcome string
		status  int
		say     []string
	}{
		{&buildlock.BusyError{Line: buildlock.Line{Lock: buildlock.Link, Place: 1, Slots: 1, Waited: 3 * time.Second, Limit: time.Second}}, buildlock.TimedOut, busy, []string{"gave up waiting", "gpuci lock status", shim.WaitVar}},
		{&buildlock.VoidedError{ID: "link-3", Why: "stuck", By: 0, Waited: 3 * time.Second}, buildlock.Failed, busy, []string{"by root", "stuck", "start it again"}},
		{fmt.Errorf("%w: x", buildlock.ErrUnfit), buildlock.Failed, unfit, []string{"lock-dir in /etc/gpuci.toml", "every user of this machine needs the same one"}},
		{full, buildlock.Failed, unfit, []string{"free space in /locks"}},
	} {
		dir := t.TempDir()
		log, err := os.Create(dir + "/log")
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		stderr, err := os.Create(dir + "/stderr")
		if err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		call := Call{Env: []string{shim.LogVar + "=" + log.Name()}, Stderr: stderr}
		call.noteFailure(shim.Plan{Tool: "cc"}, "/locks", c.err)
		if got := call.refuse("/locks", c.err); got != c.status {
			t.Errorf("%v: status %d, want %d", c.err, got, c.status)
		}
		events, err := buildlock.ReadLinkLog(log.Name())
		if err != nil || len(events) != 1 || events[0].Outcome != c.outcome || events[0].Remedy == "" || (events[0].Waited == 3*time.Second) != (c.status == busy) {
			t.Errorf("%v: noted %+v, %v", c.err, events, err)
		}
		said, _ := os.ReadFile(stderr.Name())
		for _, text := range c.say {
			if !strings.Contains(string(said), text) {
				t.Errorf("%v: no %q in %q", c.err, text, said)
			}
		}
		if c.status == unfit && strings.Contains(string(said), "lock status") {
			t.Errorf("%v: sent to lock status: %q", c.err, said)
		}
	}
}

func TestIs(t *testing.T) {
	for argv0, want := range map[string]bool{"cc": true, "/x/ld.lld": true, "gpuci-link": true, "/x/gpuci": false, "gpuci": false, "": false} {
		if got := Is(argv0); got != want {
			t.Errorf("%q: %v", argv0, got)
		}
	}
}
