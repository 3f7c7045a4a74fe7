package trace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// late compiles testdata/programs/late.c: one that loads CUDA itself, or one that it is
// linked to.
func late(t *testing.T, box *tracetest.Box, linked bool) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "late")
	args := []string{"-std=gnu11", "-O1", "-Wall", "-Werror", "-o", to, "testdata/programs/late.c", "-pthread", "-ldl"}
	if linked {
		args = append(args, "-DLINKED", filepath.Join(box.Libraries(), "libcuda.so.1"))
	}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("compile it: %v\n%s", err, out)
	}
	return to
}

// running traces a program that is not the player.
func running(t *testing.T, box *tracetest.Box, program string, args ...string) played {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(append(os.Environ(), box.Env()...), attached(t, t.TempDir(), box.Env())...)
	return playWith(t, cmd)
}

// A program that asks for each call by cuGetProcAddress_v2, as CUDA's runtime does, and one
// that has CUDA linked to it, are counted alike, on two cards at once, however they end.
func TestPrograms(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	for _, linked := range []bool{false, true} {
		program := late(t, box, linked)
		for end, code := range map[string]int{"return": 0, "_exit": 9, "SIGKILL": 137, "SIGSEGV": 139} {
			p := running(t, box, program, end)
			if p.code != code || p.err != nil || len(p.Processes) != 1 {
				t.Fatalf("linked %v, %s: status %d, want %d, %v: %s", linked, end, p.code, code, p.err, p.out)
			}
			one := p.Processes[0]
			want := map[string]int{
				"launch first [4 1 1] [32 1 1] legacy": 10, "launch second [4 1 1] [32 1 1] legacy": 20,
				"launch first [8 1 1] [32 1 1] own": 3, "launch second [8 1 1] [32 1 1] own": 3,
			}
			got := counted(all(t, &one))
			for line, n := range want {
				if got[line] != n {
					t.Errorf("linked %v, %s: %d of %q, want %d: %v", linked, end, got[line], line, n, got)
				}
			}
			if one.Clean != (end == "return") || one.Command != "late" {
				t.Errorf("linked %v, %s: %+v", linked, end, one)
			}
			wantCards(t, p, "Stand-in 0 13", "Stand-in 1 23")
		}
	}
}

// wantCards holds the launches of each card, of all processes, against what they should be.
func wantCards(t *testing.T, p played, want ...string) {
	t.Helper()
	r, err := NewReport(t.Context(), p.Recording, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.ByCard() {
		got = append(got, fmt.Sprintf("%s %d", c.Name, c.Launches))
	}
	if !slices.Equal(got, want) {
		t.Errorf("by card %q, want %q", got, want)
	}
}

// Two contexts in one process, on two cards and on one: what is asked of each card, to the
// launch, also where threads are at it at once, and what is captured is not run.
func TestCards(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	p := play(t, box, "init", "device 0", "launch a 1 1 legacy 3", "copy cuMemcpyHtoD_v2 10",
		"device 1", "launch a 1 1 legacy 5", "set cuMemsetD8_v2 3", "sync", "begin s", "launch a 1 1 s", "finish s g", "instantiate g e", "replay e s",
		"threads 2", "device $", "repeat 1000", "launch b 1 1 s$", "end", "end", "device 0", "launch c 1 1",
		"device 4", "copy cuMemcpyDtoH_v2 5")
	one, err := NewReport(t.Context(), Recording{Processes: []Process{*p.process()}}, &Meta{}, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	want := []CardCounts{
		{Card: cardNumber(0), Contexts: 1, Launches: 1004, Copies: 1},
		{Card: cardNumber(1), Contexts: 1, Launches: 1005, GraphLaunches: 1, Sets: 1, Syncs: 1},
		{Card: cardNumber(4), Contexts: 1, Copies: 1},
	}
	if got := one.Processes[0].ByCard; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	var b strings.Builder
	if err := one.Text(&b, Page{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Stand-in 0 (card 0): 1004 launches, 1 copy\n", "Stand-in 1 (card 1): 1005 launches, 1 graph launch, 1 memset, 1", "Stand-in 4 (card 4): 0 launches, 1 copy\n"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("%q is not in\n%s", text, b.String())
		}
	}
}

// A context that the names file has no card for is one of no card, and is not lost.
func TestCardNotNoted(t *testing.T) {
	var c perContext
	for _, context := range []uint32{1, 2, 1, 3} {
		c.take(&Event{Kind: Launch, Other: context})
		c.take(&Event{Kind: Alloc, Other: 7}) // the number of an allocation is no context
	}
	got := c.counts(&Names{Cards: map[uint32]Card{3: cardNumber(3)}})
	if want := []CardCounts{{Card: nowhere, Contexts: 2, Launches: 3}, {Card: cardNumber(3), Contexts: 1, Launches: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if text := got[0].text(); text != "contexts whose card was not noted: 3 launches, 2 contexts" {
		t.Error(text)
	}
}

// cardNumber is the stand-in's, where all are visible.
func cardNumber(n int) Card {
	var u [16]byte
	for i := range u {
		u[i] = byte(i + n)
	}
	return Card{n, fmt.Sprint("Stand-in ", n), fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])}
}

// Two processes each of which sees one card, as its card 0: the recording has two.
func TestVisibleCards(t *testing.T) {
	box, dir := tracetest.Start(t, tracetest.Options{}), t.TempDir()
	var p played
	for i, card := range []string{"3", "5", "3"} {
		env := append(attached(t, dir, box.Env()), "CUDA_VISIBLE_DEVICES="+card)
		p = playWith(t, box.Command(env, "init", "device 0", fmt.Sprint("launch k 1 1 legacy ", i+1)))
		if p.code != 0 {
			t.Fatalf("%s: status %d: %s", card, p.code, p.out)
		}
	}
	wantCards(t, p, "Stand-in 3 4", "Stand-in 5 2")
	r, err := NewReport(t.Context(), p.Recording, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Text(&b, Page{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if want := "Stand-in 3, " + cardNumber(3).UUID + ": 4 launches, 2 contexts, of 2 processes\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is not in\n%s", want, b.String())
	}
	out := playWith(t, box.Command(append(attached(t, dir, box.Env()), "CUDA_VISIBLE_DEVICES=3"), "init", "expect 101", "device 1"))
	if out.code != 0 {
		t.Errorf("a card that is not visible: status %d: %s", out.code, out.out)
	}
}

// A chain of programs, each of which becomes the next, starts one beside it, and ends
// otherwise: each image has its files, and the last one's status is the program's.
func TestChain(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	last := box.Script("init", "device 0", "launch last 1 1", "kill 9")
	middle := box.Script("fork", "init", "device 0", "launch beside 1 1", "_exit 0", "end", "exec "+last)
	p := play(t, box, "init", "device 0", "launch first 1 1", "exec "+middle)
	if p.code != 137 || p.err != nil || len(p.Processes) != 3 {
		t.Fatalf("status %d, %v: %+v\n%s", p.code, p.err, p.Processes, p.out)
	}
	var got []string
	for i := range p.Processes {
		got = append(got, all(t, &p.Processes[i])...)
	}
	same(t, got, "launch first [1 1 1] [1 1 1] legacy", "launch beside [1 1 1] [1 1 1] legacy", "launch last [1 1 1] [1 1 1] legacy")
	if p.Processes[0].PID != p.Processes[2].PID || p.Processes[1].Parent != p.Processes[0].PID {
		t.Errorf("%+v", p.Processes)
	}
}
