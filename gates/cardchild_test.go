package gates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
	"gpuci/reaper/proc"
)

// cardJob is a gate that another process of ours runs, as a gpuci of its own.
type cardJob struct {
	Gate              config.Gate
	Card              config.CardNeed // which a gate's JSON does not have
	Root, State, Lock string
	Driver            device.Options
	Rules             []protected.Rule
}

// cardChild runs it and prints the verdict.
func cardChild(text string) int {
	var job cardJob
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	job.Gate.Card = job.Card
	c := CardsOf(&config.Config{}, job.Lock, nil)
	c.Driver, c.Rules = job.Driver, job.Rules
	defer c.Close()
	queue := &Queue{Values: shim.Values{LockDir: job.Lock, Links: 4}, Wait: patience} // with no shims in front
	v := Run(context.Background(), Options{Gate: job.Gate, Root: job.Root, State: job.State, Version: "test", Cards: c, Queue: queue})
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
	return v.Exit
}

// gpuci is a process that runs a gate on the stage.
func (s *cardStage) gpuci(g config.Gate, rules ...protected.Rule) *exec.Cmd {
	s.t.Helper()
	job, err := json.Marshal(cardJob{g, g.Card, s.root, s.t.TempDir(), s.lock, s.box.Options(), rules})
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), s.box.Env()...), "OUT="+s.root, "GATES_TEST_CARD="+string(job))
	cmd.Stderr = os.Stderr
	return cmd
}

// verdictOf runs it to its end.
func verdictOf(t *testing.T, cmd *exec.Cmd) (v Verdict) {
	t.Helper()
	out, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}

// Of a gpuci that was killed the card stays taken as long as its gate lives, and who
// has it is named.
func TestCardOfAKilledGpuci(t *testing.T) {
	s := newCardStage(t)
	cmd := s.gpuci(needing(`echo $$ > "$OUT/pid"; ` + meet))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the run", func() bool { return isThere(filepath.Join(s.root, "there")) })
	text, err := os.ReadFile(filepath.Join(s.root, "pid"))
	pid, nerr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || nerr != nil {
		t.Fatal(err, nerr)
	}
	id, err := proc.Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // it is nobody's child any more
		if alive, err := proc.Real.Alive(id); alive && err == nil {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	wants(t, s.run(needing("true")), Refused, OweCard, fmt.Sprintf("pid %d", pid))
	s.goOn()
	await(t, "the lock", func() bool {
		held, err := buildlock.HeldCards(context.Background(), s.lock)
		return err == nil && len(held) == 0
	})
	wants(t, s.run(needing("true")), Green, "")
}

// Field case 27: a gate whose command is gpuci again, with a gate that needs a card. It
// gets the one that is held above it, with the processes above it on it.
func TestCardWithin(t *testing.T) {
	s := newCardStage(t)
	inner := needing(cuda + "true")
	inner.Name = "inner"
	cmd := s.gpuci(inner)
	outer := needing("")
	outer.Run = []config.Command{{Shell: cuda + `"$SELF" > "$OUT/inner.json"`}}
	outer.Env = map[string]string{}
	for _, kv := range cmd.Env {
		if v, ok := strings.CutPrefix(kv, "GATES_TEST_CARD="); ok {
			outer.Env["GATES_TEST_CARD"] = v
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outer.Env["SELF"] = self
	wants(t, s.run(outer), Green, "")
	data, err := os.ReadFile(filepath.Join(s.root, "inner.json"))
	var v Verdict
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(data), &v)
	}
	if err != nil || v.Outcome != Green || v.Card == nil || !v.Card.Passed {
		t.Errorf("%v: %s", err, data)
	}
}
