package main

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuci/kernels/device/devicetest"
)

// boxKey and guestsKey are where a script has its driver, and who is on its cards.
type (
	boxKey    struct{}
	guestsKey struct{}
)

// withCard gives a script a stand-in for a driver, with one quiet card, $CARD.
// Without it, $PLAIN_PATH has no nvidia-smi of its.
func withCard(t *testing.T, env *testscript.Env) {
	box := devicetest.Start(t)
	env.Values[boxKey{}], env.Values[guestsKey{}] = box, make(map[string]onCard)
	env.Setenv("CARD", box.UUID(0))
	env.Setenv("PLAIN_PATH", env.Getenv("PATH"))
	for _, kv := range box.Env() {
		name, value, _ := strings.Cut(kv, "=")
		if dir, _, ok := strings.Cut(value, ":"); name == "PATH" && ok { // the script's own has gpuci in it
			value = dir + ":" + env.Getenv("PATH")
		}
		env.Setenv(name, value)
	}
}

// standin LINE… adds lines to what the driver says; without any, it is as at the
// beginning.
func standin(ts *testscript.TestScript, neg bool, args []string) {
	box, ok := ts.Value(boxKey{}).(*devicetest.Box)
	if neg || !ok {
		ts.Fatalf("standin LINE… is for scripts whose names begin with gpu")
	}
	if len(args) == 0 {
		box.Reset()
		return
	}
	box.Write(args...)
}

// acting is a program on a card: it has the device file open and stands in the
// driver's list.
const acting = `exec 9<"$GPUCI_NVIDIA_ROOT/dev/nvidia$0" && echo "process $0 compute $$ $1" >> "$NVML_STANDIN" && echo ready && exec sleep 3600`

// onCard is a guest of a card.
type onCard struct {
	cmd  *exec.Cmd
	gone chan struct{}
}

// guest NAME CARD BYTES starts a program on a card, in the script's directory;
// $NAME is its pid.
func guest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: guest NAME CARD BYTES")
	}
	cmd := exec.Command("sh", "-c", acting, args[1], args[2])
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "GPUCI_NVIDIA_ROOT", "NVML_STANDIN"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	g := onCard{cmd, make(chan struct{})}
	go func() { // whoever kills it, it is no zombie
		_ = cmd.Wait()
		close(g.gone)
	}()
	ts.Value(guestsKey{}).(map[string]onCard)[args[0]] = g
	ts.Setenv(args[0], strconv.Itoa(cmd.Process.Pid))
	ts.Defer(g.end)
	if line != "ready\n" {
		ts.Fatalf("the guest %s said %q: %v", args[0], line, err)
	}
}

// leaves NAME ends one, and waits until it is gone.
func leaves(ts *testscript.TestScript, neg bool, args []string) {
	g, ok := ts.Value(guestsKey{}).(map[string]onCard)[strings.Join(args, " ")]
	if neg || !ok {
		ts.Fatalf("usage: leaves NAME, of a guest")
	}
	g.end()
}

func (g onCard) end() {
	_ = g.cmd.Process.Kill() // os.ErrProcessDone where somebody else has
	<-g.gone
}
