package tracetest_test

import (
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// The program that plays holds what calls give against what the script expects.
func TestPlay(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	for want, lines := range map[string][]string{
		"exit status 0 \n":  {"init", "device 0", "launch k 1 1", "fail cuMemAlloc_v2 2", "alloc a 5", "alloc a 5", "free a"},
		"exit status 98 \n": {"init", "alloc a 999999999999999"},
		"exit status 99 \n": {"init", "no such line"},
		"exit status 7 \n":  {"# a comment", "", "repeat 2", "threads 3", "end", "end", "exit 7"},
		"exit status 97 \n": {"fork", "exit 1", "end"},
		"exit status 0 2\n": {"threads 3", "end", "init", "threads 1", "say 2", "end"},
	} {
		cmd := box.Command(nil, lines...)
		out, _ := cmd.Output()
		if len(out) == 0 {
			out = []byte("\n")
		}
		if got := cmd.ProcessState.String() + " " + string(out); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}

// One may subscribe to the stand-in CUPTI.
func TestOneSubscriber(t *testing.T) {
	out, err := tracetest.Start(t, tracetest.Options{}).Command(nil, "subscribe", "subscribe").Output()
	if err != nil || string(out) != "subscribed 0\nsubscribed 39\n" {
		t.Errorf("%v: %s", err, out)
	}
}
