package link

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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
	c := Call{Env: []string{"GPUCI_LOCK_DIR=/l", "GPUCI_WAIT=-1s", "GPUCI_LANE=kda", "GPUCI_COMMAND=make", "GPUCI_BUILD=b1", "GPUCI_TICKETS=link-1"}}
	o, err := c.options(shim.Plan{Tool: "cc", Args: []string{"cc"}}, "")
	if err != nil || o.Dir != "/l" || o.Wait >= 0 || o.Who.Lane != "kda" || o.Who.Command != "make" || o.Who.Build != "b1" || o.Marks != "link-1" {
		t.Errorf("%+v, %v", o, err)
	}
	c.Env = nil
	if o, err = c.options(shim.Plan{Tool: "cc", Args: []string{"cc", "a.o"}}, ""); err != nil || o.Wait != defaultWait || o.Who.Command != "cc a.o" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOutcomeOf(t *testing.T) {
	busy := fmt.Errorf("x: %w", &buildlock.BusyError{})
	if got := outcomeOf(busy); got != buildlock.TimedOut {
		t.Errorf("busy is %s", got)
	}
	if got := outcomeOf(errors.New("x")); got != buildlock.Failed {
		t.Errorf("an error is %s", got)
	}
}

func TestIs(t *testing.T) {
	for argv0, want := range map[string]bool{"cc": true, "/x/ld.lld": true, "gpuci-link": true, "/x/gpuci": false, "gpuci": false, "": false} {
		if got := Is(argv0); got != want {
			t.Errorf("%q: %v", argv0, got)
		}
	}
}
