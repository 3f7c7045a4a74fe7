package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gpuci/ci/slurm/slurmtest"
)

// Of a cluster nothing is said where nobody means to use one; else what is missing, and
// how to get it.
func TestDoctorSlurmMissing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.tools(t, nil)
	for key := range s.doctor(t).checks {
		if filepath.Dir(key) == "slurm" {
			t.Errorf("without [slurm] there is a word of %s", key)
		}
	}
	s.write(t, "../home/machine.toml", "[slurm]\npartition = 'gpu'\n")
	d := s.doctor(t)
	d.want(t, "slurm/shared", stateLost, "no directory is named", "shared = ")
	d.want(t, "slurm/commands", stateLost, "sbatch, squeue, scontrol, scancel", "slurm-client")
	if d.code != 0 {
		t.Errorf("exit %d: gates can run here", d.code)
	}
	dir := filepath.Join(s.dir, "shared")
	shared := "[slurm]\nshared = " + strconv.Quote(dir) + "\n"
	s.write(t, "../home/machine.toml", shared)
	s.doctor(t).want(t, "slurm/shared", stateBroken, "no such file", dir)
	s.write(t, "shared", "")
	s.doctor(t).want(t, "slurm/shared", stateBroken, "no directory", dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.doctor(t).want(t, "slurm/shared", stateOK, "a disk of this machine", dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s.doctor(t).want(t, "slurm/shared", stateBroken, "everybody", "chmod +t")
}

// A real cluster, with accounting, without an answer of it, and with nobody there.
func TestDoctorSlurm(t *testing.T) {
	t.Parallel()
	rig := slurmtest.Start(t, slurmtest.Options{Accounting: true})
	s := newStage(t)
	s.env = append(s.env, rig.Env()...)
	s.write(t, "gpuci.toml", "[slurm]\nshared = "+strconv.Quote(rig.Shared)+"\npartition = 'main,urgent'\n[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	d := s.doctor(t)
	d.want(t, "slurm/commands", stateOK, "sbatch")
	d.want(t, "slurm/slurmctld", stateOK, "cluster gpuci", ".")
	d.want(t, "slurm/accounting", stateOK, "slurmdbd")
	d.want(t, "slurm/partition", stateOK, "main, cheap, urgent")
	d.want(t, "slurm/shared", stateOK, rig.Shared)
	if queue, err := rig.Queue(); err != nil || len(queue) > 0 {
		t.Errorf("in the queue: %q, %v", queue, err)
	}
	s.write(t, "gpuci.toml", "[slurm]\nshared = "+strconv.Quote(rig.Shared)+"\n[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n[gate.slurm]\npartition = 'nope'\n")
	rig.StopAccounting()
	d = s.doctor(t)
	d.want(t, "slurm/accounting", stateLost, "does not answer", "sacct")
	d.want(t, "slurm/partition", stateBroken, `gate g names "nope"`, "main")
	rig.StopController()
	d = s.doctor(t)
	d.want(t, "slurm/slurmctld", stateBroken, "scontrol", "scontrol ping")
	if d.code != 0 {
		t.Errorf("exit %d: gates can run here", d.code)
	}
}
