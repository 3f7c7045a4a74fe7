package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/ci/slurm"
	"gpuci/gates/config"
	"gpuci/reaper/proc"
)

// notHanded is what is lost where gates cannot be handed to Slurm. Here they run all the same.
const notHanded = "--on slurm cannot be used"

// checkSlurm looks at what handing gates to Slurm takes, where [slurm] says that it is
// meant to be done. No job is submitted.
func (d *doctor) checkSlurm(ctx context.Context) []check {
	if !d.place.config.SaysSlurm() {
		return nil
	}
	checks := []check{d.checkShared()}
	commands, there := d.checkSlurmCommands()
	checks = append(checks, commands)
	if !there {
		return checks
	}
	c := slurm.Client{Env: d.env}
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return append(checks, broken("slurmctld", err.Error(), notHanded, "scontrol ping; SLURM_CONF or /etc/slurm/slurm.conf says where it is"))
	}
	said := fine("slurmctld", "cluster "+cluster.Name)
	said.Version = cluster.Version
	return append(checks, said, checkAccounting(ctx, c, cluster), checkPartitions(ctx, c, d.place.config))
}

// checkSlurmCommands looks for what is run here.
func (d *doctor) checkSlurmCommands() (found check, there bool) {
	var missing []string
	var path string
	for _, name := range []string{"sbatch", "squeue", "scontrol", "scancel"} {
		p, err := proc.LookPath(name, d.place.dir, d.env)
		if err != nil {
			missing = append(missing, name)
		} else if path == "" {
			path = p
		}
	}
	if len(missing) > 0 {
		return lost("commands", "not here: "+strings.Join(missing, ", "), notHanded, "apt-get install slurm-client, in the cluster's version; or run gpuci where the cluster's commands are"), false
	}
	return fine("commands", "sbatch, squeue, scontrol, scancel").at(path), true
}

// checkAccounting says whether somebody keeps how jobs ended.
func checkAccounting(ctx context.Context, c slurm.Client, cluster slurm.Cluster) check {
	const name, without = "accounting", "who cancelled a job is not told, and a job that ended while gpuci was away for longer than slurmctld knows it is judged by its result alone"
	if cluster.Accounting == "" {
		return lost(name, "the cluster has none: slurmctld says how a job ended, for "+cluster.MinJobAge, without, "slurmdbd, which whoever runs the cluster can add")
	}
	if err := c.Answers(ctx); err != nil {
		how := "sacct is asked: sacct --jobs=1 says more"
		if errors.Is(err, slurm.ErrNoSlurm) {
			how = "apt-get install slurm-client: it has sacct"
		}
		return lost(name, cluster.Accounting+", which does not answer: "+err.Error(), without, how)
	}
	return fine(name, cluster.Accounting)
}

// checkPartitions says whether there are those that [slurm] and the gates name.
func checkPartitions(ctx context.Context, c slurm.Client, cfg *config.Config) check {
	const name = "partition"
	all, err := c.Partitions(ctx)
	if err != nil {
		return unsure(name, err.Error())
	}
	named := map[string]string{"[slurm]": cfg.Slurm.Partition}
	for _, g := range cfg.Gates {
		if g.Slurm != nil {
			named["gate "+g.Name] = g.Slurm.Partition
		}
	}
	var wrong []string
	for who, list := range named {
		for _, p := range strings.Split(list, ",") {
			if p != "" && !slices.Contains(all, p) {
				wrong = append(wrong, fmt.Sprintf("%s names %q", who, p))
			}
		}
	}
	if slices.Sort(wrong); len(wrong) > 0 {
		return broken(name, strings.Join(wrong, ", ")+": there is none of that name", "what goes there is refused", "name one of "+strings.Join(all, ", "))
	}
	return fine(name, strings.Join(all, ", "))
}

// checkShared looks at the directory that nodes are to see, and makes nothing in it.
func (d *doctor) checkShared() check {
	const name = "shared"
	dir := d.place.config.Slurm.Shared
	if dir == "" {
		return lost(name, "no directory is named", notHanded, `shared = "/shared/gpuci" in [slurm]: a directory that this machine and the nodes have under the same path`)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return broken(name, err.Error(), notHanded, "make it, for all who hand gates over, on a file system that the nodes have under the same path").at(dir)
	case !info.IsDir():
		return broken(name, "it is no directory", notHanded, "name a directory in [slurm] shared").at(dir)
	}
	if info.Mode()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		return broken(name, "everybody may replace what is in it", notHanded, "chmod +t "+dir+", or take away that others may write").at(dir)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return broken(name, "it cannot be written to: "+err.Error(), notHanded, "give this user the right to write there").at(dir)
	}
	fs, err := buildlock.FileSystemOf(dir)
	switch {
	case err != nil:
		return unsure(name, err.Error()).at(dir)
	case fs.Network == "":
		return fine(name, "on a disk of this machine: only nodes that are this machine, or have it from here, see it").at(dir)
	}
	return fine(name, "on "+fs.Network).at(dir)
}
