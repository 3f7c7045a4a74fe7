package slurm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates/config"
)

// What a gate asks for, as sbatch has it.
func TestOptions(t *testing.T) {
	c := config.Slurm{Partition: "p", Account: "a", QOS: "q", Constraint: "c", GRES: "gpu:h200:{cards}", Margin: 30 * time.Second, Attempts: 1, Options: []string{"--reservation=r"}}
	task := executor.Task{Cookie: "gpuci-1"}
	task.Gate = config.Gate{
		Timeout: 10 * time.Minute, BuildTimeout: time.Hour, Grace: 5 * time.Second, Build: []config.Command{{Shell: "make"}}, Repeat: &config.Repeat{Times: 3},
		Card: config.CardNeed{Count: 2}, Slurm: &config.GateSlurm{Partition: "own", Options: []string{"--exclusive"}, Memory: 3<<20 + 1, CPUs: 8},
	}
	got := strings.Join(options(c, task, "/out"), " ")
	want := "--parsable --job-name=gpuci-1 --output=/out --open-mode=append --export=ALL --chdir=/ --nodes=1 --ntasks=1 --time=91 --no-requeue --partition=own --account=a --qos=q --constraint=c --gres=gpu:h200:2 --mem=3073K --cpus-per-task=8 --reservation=r --exclusive"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A job's environment is the user's, without what is of this machine and of Slurm.
func TestJobEnv(t *testing.T) {
	c := Client{Env: []string{"PATH=/bin", "SLURM_CONF=/c", "SBATCH_PARTITION=x", "SLURM_JOB_ID=1", "GPUCI_LOCK_DIR=/l", "CUDA_VISIBLE_DEVICES=3", "TMPDIR=/t", "CUDA_HOME=/cuda", "SSH_AUTH_SOCK=/s", "LD_LIBRARY_PATH=a=b"}}
	if got, want := fmt.Sprint(c.jobEnv()), "[PATH=/bin SLURM_CONF=/c CUDA_HOME=/cuda LD_LIBRARY_PATH=a=b]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// However long slurmctld takes, it is at work for us a twentieth of the time at most, or a
// fifth where something has come.
func TestPolls(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		took  time.Duration
		hot   bool
		every time.Duration
	}{
		{time.Millisecond, false, time.Second}, {time.Millisecond, true, 500 * time.Millisecond}, {time.Second, false, 20 * time.Second},
		{time.Second, true, 5 * time.Second}, {10 * time.Second, false, 30 * time.Second}, {10 * time.Second, true, 30 * time.Second},
	} {
		p := polls{hot: tt.hot}
		if !p.due(now) {
			t.Errorf("%+v: the first question has to wait", tt)
		}
		p.asked(now.Add(-tt.took), now)
		p.last = now
		if p.due(now.Add(tt.every-lookEvery/4)) || !p.due(now.Add(tt.every)) {
			t.Errorf("%+v: due after %s: %v, after %s: %v", tt, tt.every-lookEvery/4, p.due(now.Add(tt.every-lookEvery/4)), tt.every, p.due(now.Add(tt.every)))
		}
	}
}
