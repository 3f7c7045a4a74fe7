package slurmtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// daemon is a program of the rig, in the foreground.
type daemon struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// daemon starts a program under a name; that of a node is slurmd's.
func (r *Rig) daemon(name string, args ...string) error {
	program := r.bin[name]
	if program == "" {
		program = r.bin["slurmd"]
	}
	log, err := os.OpenFile(r.logFile(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := r.Command(context.Background(), program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C at a terminal is for the test
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	d := &daemon{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(d.done)
	}()
	r.daemons[name] = d
	return r.keeper.mind(cmd.Process.Pid)
}

func (d *daemon) gone() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	d.wait()
}

// end lets a daemon put its things in order.
func (d *daemon) end() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	d.wait()
}

func (d *daemon) wait() { <-d.done }

// keeper is a shell that ends what the rig has started once nobody holds its stdin: after
// Down, and after the test was killed.
type keeper struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  strings.Builder
}

// What stepd and jobs have started outlives slurmd. All of it has the rig's SLURM_CONF in
// its environment, which is a path of the rig alone.
const keeping = `
pids=
while read -r pid; do pids="$pids $pid"; done
for pid in $pids; do
	tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "SLURM_CONF=$1" && kill -9 "$pid" 2>/dev/null
done
pass=0
while [ $pass -lt 300 ]; do
	pass=$((pass + 1))
	left=
	for f in /proc/[0-9]*/environ; do
		pid=${f#/proc/}
		pid=${pid%/environ}
		[ "$pid" = "$$" ] || [ "$pid" = "$2" ] && continue
		if grep -qzxF "SLURM_CONF=$1" "$f" 2>/dev/null; then
			left="$left $pid"
			kill -9 "$pid" 2>/dev/null
		fi
	done
	[ -z "$left" ] && exit 0
	sleep 0.1
done
echo "still there:$left" >&2
exit 1
`

func keep(conf string) (*keeper, error) {
	k := &keeper{cmd: exec.Command("/bin/sh", "-c", keeping, "keeper", conf, strconv.Itoa(os.Getpid()))}
	k.cmd.Stderr = &k.said
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var err error
	if k.stdin, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return k, k.cmd.Start()
}

func (k *keeper) mind(pid int) error {
	_, err := fmt.Fprintln(k.stdin, pid)
	return err
}

func (k *keeper) end() error {
	_ = k.stdin.Close()
	if err := k.cmd.Wait(); err != nil {
		return fmt.Errorf("end a Slurm: %w: %s", err, k.said.String())
	}
	return nil
}
