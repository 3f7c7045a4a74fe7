package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/gates"
)

// gate writes a gate whose build links n programs, with more lines of its own
// and of the file's head.
func (s stage) gate(t *testing.T, n int, head, lines string) {
	t.Helper()
	s.makefile(t, n)
	s.write(t, "gpuci.toml", head+`
[[gate]]
name = "g"
build = ["make", "-j4"]
run = ["./m0"]
reader = "none"
`+lines)
}

// verdict runs the gate and reads what it prints.
func (s stage) verdict(t *testing.T) (code int, v gates.Verdict, stderr string) {
	t.Helper()
	code, stdout, stderr := s.run(t, "gate", "g", "--json")
	line, _, _ := strings.Cut(stdout, "\n")
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	return code, v, stderr
}

// The links of a gate's build and of its run have tickets, and the verdict
// says how many.
func TestGateLinks(t *testing.T) {
	s := newStage(t)
	s.gate(t, 3, "", "")
	s.write(t, "gpuci.toml", `
[[gate]]
name = "g"
build = ["make", "-j4"]
run = "cc -c m0.c -o again.o && cc again.o -o again && ./again"
reader = "none"
`)
	code, v, stderr := s.verdict(t)
	if code != 0 || v.Links == nil || v.Links.Ticketed != 4 || v.Links.Past != nil {
		t.Errorf("exit %d, links %+v, %s", code, v.Links, stderr)
	}
	for _, step := range v.Steps {
		if step.Name == "queue" && step.State != gates.StepDone {
			t.Errorf("step queue: %s", step.State)
		}
	}
}

// What a gate waits for others' links is in neither of its time limits.
func TestGateWaitIsNotCharged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.gate(t, 1, "", "build-timeout = '8s'\nno-progress = '8s'\n") // room for a busy machine
	ticket := s.hold(t, buildlock.Who{Lane: "kda-adjoint"})
	r := s.start(t, "waiting for the link lock, 1st in line", "gate", "g", "--json")
	if text := r.stderr.String(); !strings.Contains(text, "held by lane kda-adjoint") || !strings.Contains(text, "io full") {
		t.Errorf("said %q", text)
	}
	time.Sleep(12 * time.Second) // more than both limits
	if err := ticket.Release(); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit %d, %s", code, r.stderr.String())
	}
}

// A gate whose link had no ticket in time is refused: it did not fail.
func TestGateWaitRunsOut(t *testing.T) {
	s := newStage(t)
	s.gate(t, 2, "build.wait = '300ms'\n", "")
	s.hold(t, buildlock.Who{Lane: "kda-adjoint"})
	code, v, _ := s.verdict(t)
	if code != 75 || v.Outcome != gates.Refused || v.Links.NotRun == 0 {
		t.Errorf("exit %d, %s, links %+v", code, v.Outcome, v.Links)
	}
	if text := v.Findings[len(v.Findings)-1].Text; !strings.Contains(text, "was not linked: ") || !strings.Contains(text, "held by lane kda-adjoint") {
		t.Errorf("findings: %+v", v.Findings)
	}
}

// serialize = "build" waits for the build lock, and gives it up before the run.
func TestGateSerialize(t *testing.T) {
	s := newStage(t)
	s.gate(t, 1, "build = { serialize = 'build', wait = '300ms' }\n", "")
	release := s.holdBuild(t)
	code, v, _ := s.verdict(t)
	if code != 75 || v.Outcome != gates.Refused || len(v.Commands) != 0 {
		t.Errorf("exit %d, %s, commands %+v", code, v.Outcome, v.Commands)
	}
	release()
	s.write(t, "gpuci.toml", `
build.serialize = "build"
[[gate]]
name = "g"
build = "`+s.command(t).Path+` lock status --json | grep '\"lock\":\"build\"' && make"
run = "! `+s.command(t).Path+` lock status --json | grep '\"lock\":\"build\"'"
reader = "none"
`)
	if code, v, stderr := s.verdict(t); code != 0 || v.Links.Ticketed != 1 {
		t.Errorf("exit %d, %+v, %s", code, v.Links, stderr)
	}
	s.mustBeFree(t)
}

// Where nothing can be locked, no gate runs, and it says what would mend it.
func TestGateUnfit(t *testing.T) {
	s := newStage(t)
	s.gate(t, 1, "", "")
	s.write(t, "file", "")
	x := s
	x.env = append(append([]string{}, s.env...), "GPUCI_LOCK_DIR="+filepath.Join(s.dir, "file"))
	code, v, stderr := x.verdict(t)
	if code != 75 || v.Outcome != gates.Refused || len(v.Commands) != 0 {
		t.Fatalf("exit %d, %s, commands %+v, %s", code, v.Outcome, v.Commands, stderr)
	}
	text := v.Findings[0].Text + strings.Join(v.Next, "; ")
	if !strings.Contains(text, "every user of this machine needs the same one") || strings.Contains(text, "lock status") {
		t.Errorf("says %q", text)
	}
}

// A gate that waited says so, and with -v what its links were like.
func TestGateTellsWait(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.gate(t, 1, "", "")
	ticket := s.hold(t, buildlock.Who{Lane: "kda-adjoint", Root: "/home/alice/dormouse"})
	cmd, heard, stdout := s.command(t, "gate", "g", "-v"), newListener(), bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = &stdout, heard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard.hear(t, "held by lane kda-adjoint of /home/alice/dormouse (pid ")
	time.Sleep(1500 * time.Millisecond) // more than is passed over in silence
	if err := ticket.Release(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, heard.String())
	}
	for _, want := range []string{"\n  waited   ", " for the links of others, which is in none of its time limits\n", "\n  links    1 link under a ticket, none seen without; waited ", "; io full "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in %s", want, stdout.String())
		}
	}
}

// A linker that came past is in the verdict with what it takes to find it.
func TestGateLinksPast(t *testing.T) {
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	s.write(t, "gpuci.toml", `
[[gate]]
name = "g"
run = "(sleep 1; : > `+script+`) & `+ld+` -T `+script+` || wait"
reader = "none"
`)
	code, v, stderr := s.verdict(t)
	if code != 0 || len(v.Links.Past) != 1 {
		t.Fatalf("exit %d, %+v, %s", code, v.Links, stderr)
	}
	past := v.Links.Past[0]
	if past.Path != ld || past.Count != 1 || past.Reason != links.Absolute || past.Remedy == "" {
		t.Errorf("%+v", past)
	}
	if want := "links without a ticket: at least 1 by " + ld; !strings.Contains(strings.Join(v.Marks, "\n"), want) {
		t.Errorf("marks: %q", v.Marks)
	}
}
