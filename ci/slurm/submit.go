package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
	"gpuci/gates/config"
)

// script is what every job runs. It is constant: what it is to run are its arguments, which
// sbatch carries as they are, so that no name is ever read by a shell or as a #SBATCH line.
// The exec makes gpuci the process that Slurm tells to end.
const script = "#!/bin/sh\nexec \"$@\"\n"

// sbatchTime bounds the handing over of one job. One that takes longer may still be taken,
// and is looked for by its name.
const sbatchTime = 20 * time.Second

// The ways in which handing over can fail, beside a loss that is the task's own.
var (
	errUnclear = errors.New("it is not known whether Slurm has taken it")            // it is looked for by name
	errNotNow  = errors.New("not taken by Slurm now")                                // it is tried again
	errLimit   = errors.New("no more jobs of this user are taken by Slurm, for now") // the same, once another job has ended
)

// sbatch hands a job over and gives its id.
func (e *Executor) sbatch(ctx context.Context, t executor.Task, h spool.Handed) (id string, err error) {
	path := filepath.Join(e.o.Dir, "job")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		return "", fmt.Errorf("write job script: %w", err)
	}
	held, err := e.holding(unix.LOCK_SH)
	if err != nil {
		return "", err
	}
	args := append(options(e.o.Config, t, h.Output), append([]string{path}, h.Argv...)...)
	r, err := e.client.start("sbatch", e.client.jobEnv(), held, args...)
	_ = held.Close() // sbatch holds it now
	if err != nil {
		return "", err
	}
	late := time.NewTimer(sbatchTime)
	defer late.Stop()
	select {
	case <-r.done:
	case <-ctx.Done(): // it goes on, and Cancel looks for what came of it
		return "", fmt.Errorf("%w: %w", errUnclear, context.Cause(ctx))
	case <-late.C:
		_ = r.cmd.Process.Kill()
		<-r.done
		return "", fmt.Errorf("%w: sbatch did not end within %s", errUnclear, sbatchTime)
	}
	out, err := r.result()
	if err != nil {
		return "", refusal(err)
	}
	out = strings.TrimSpace(out)
	out = out[strings.LastIndex(out, "\n")+1:]       // a site's plugin may have printed something before
	if id, _, _ = strings.Cut(out, ";"); !isID(id) { // "ID;CLUSTER"
		return "", fmt.Errorf("%w: sbatch printed %q", errUnclear, out)
	}
	return id, nil
}

// options are those of sbatch for a task. Those of gpuci.toml come last, and go before ours.
func options(c config.Slurm, t executor.Task, output string) []string {
	g := t.Gate.Slurm
	if g == nil {
		g = &config.GateSlurm{}
	}
	if strings.Contains(output, `\`) { // which Slurm takes out, and reads no %j then
		output = os.DevNull
	}
	args := []string{
		"--parsable", "--job-name=" + t.Cookie, "--output=" + output, "--open-mode=append", "--export=ALL", "--chdir=/",
		"--nodes=1", "--ntasks=1", "--time=" + strconv.Itoa(minutes(c, t.Gate)),
	}
	if c.Attempts > 1 {
		args = append(args, "--requeue")
	} else {
		args = append(args, "--no-requeue")
	}
	for _, o := range []struct{ name, value string }{
		{"partition", cmp.Or(g.Partition, c.Partition)}, {"account", c.Account}, {"qos", c.QOS}, {"constraint", cmp.Or(g.Constraint, c.Constraint)},
	} {
		if o.value != "" {
			args = append(args, "--"+o.name+"="+o.value)
		}
	}
	if n := t.Gate.Card.Count; n > 0 {
		args = append(args, "--gres="+strings.ReplaceAll(c.GRES, config.CardsWord, strconv.Itoa(n)))
	}
	if g.Memory > 0 {
		args = append(args, fmt.Sprintf("--mem=%dK", (g.Memory+1023)>>10))
	}
	if g.CPUs > 0 {
		args = append(args, "--cpus-per-task="+strconv.Itoa(g.CPUs))
	}
	return append(append(args, c.Options...), g.Options...)
}

// minutes is a job's time limit: that of the gate's build, of each of its runs, and a
// margin for what the gate is not charged with. Slurm counts in minutes.
func minutes(c config.Slurm, g config.Gate) int {
	limit := g.Timeout + g.Grace
	if g.Repeat != nil {
		limit *= time.Duration(g.Repeat.Times)
	}
	if len(g.Build)+len(g.Kernels) > 0 {
		limit += g.BuildTimeout
	}
	return max(1, int((limit+c.Margin+time.Minute-1)/time.Minute))
}

// refusal is what an sbatch means that failed.
func refusal(err error) error {
	var failed *CommandError
	if !errors.As(err, &failed) {
		return err
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(failed.Said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("Socket timed out", "Zero Bytes were transmitted", "Unexpected message received", "Transport endpoint is not connected", "Insane message length"):
		return fmt.Errorf("%w: %w", errUnclear, err) // it was asked, and did not answer
	case has("Unable to contact slurm controller", "Connection refused", "Connection timed out", "No route to host", "try again", "temporarily unable", "Resource temporarily unavailable",
		"controller not responding", "in standby mode", "Unable to create job record", "authentication"):
		return fmt.Errorf("%w: %w", errNotNow, err)
	case has("job submit limit", "MaxSubmitJobs", "SubmitLimit", "too many", "maximum number of jobs", "MaxJobCount"):
		return fmt.Errorf("%w: %w", errLimit, err)
	}
	return refused(kindRefused, "sbatch was told no: "+cmp.Or(failed.Said, failed.Err.Error()), "see what the cluster has: sinfo; and what is asked of it: [slurm] and [gate.slurm]")
}

// holding opens the file that says that an sbatch of this night is under way, and locks it.
// Each has an open file of its own, so that the lock goes when the last of them ends.
func (e *Executor) holding(how int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(e.o.Dir, "sbatch.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock of sbatch: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), how); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return f, nil
}
