package slurmtest

import (
	"cmp"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ports of a rig.
type ports struct{ ctld, a, b, dbd, db int }

// The ports that rigs listen to: below those that the kernel gives to whoever connects
// somewhere, which would take one between here and a daemon's start.
const (
	firstPort = 10000
	lastPort  = 32000
)

// freePorts are ports that nobody listens to. Another rig can take one all the same until
// a daemon of this one has: then it is [errTaken].
func freePorts() (p ports, err error) {
	for _, port := range []*int{&p.ctld, &p.a, &p.b, &p.dbd, &p.db} {
		var l net.Listener
		for range 100 {
			*port = firstPort + mrand.IntN(lastPort-firstPort)
			if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port)); err == nil {
				break
			}
		}
		if err != nil {
			return p, err
		}
		defer l.Close()
	}
	return p, nil
}

// configure writes what the daemons read.
func (r *Rig) configure() error {
	for _, dir := range []string{"state", "spool/" + r.Nodes[0], "spool/" + r.Nodes[1], "log", "shared"} {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o755); err != nil {
			return err
		}
	}
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	var gres string
	for _, n := range r.Nodes {
		for _, file := range []string{"/dev/null", "/dev/zero"} {
			gres += fmt.Sprintf("NodeName=%s Name=gpu File=%s\n", n, file)
		}
	}
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"munge.key", string(key), 0o400},
		{"slurm.conf", r.slurmConf(host), 0o644},
		{"gres.conf", gres, 0o644},
		{"cgroup.conf", "CgroupAutomount=no\nConstrainRAMSpace=yes\nCgroupPlugin=" + groupPlugin() + "\n", 0o644},
		{"slurmdbd.conf", r.slurmdbdConf(), 0o600},
		{"nodeenv", "", 0o644},
		{"nodes", strings.Join(r.Nodes, " "), 0o644},
		{"prolog", "#!/bin/sh\nexec cat '" + filepath.Join(r.dir, "nodeenv") + "'\n", 0o755},
	} {
		if err := os.WriteFile(filepath.Join(r.dir, f.name), []byte(f.text), f.mode); err != nil {
			return err
		}
	}
	return nil
}

// slurmConf has short times, so that a test need not wait for a node to be missed or for a
// job to begin again (once its credential has expired), and more
// processors and memory than there are: nothing runs that needs them. Jobs of the partition
// "cheap" are ended, and those of "main" put back into the queue, for those of "urgent".
func (r *Rig) slurmConf(host string) string {
	accounting, track := "AccountingStorageType=accounting_storage/none", "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none"
	if r.o.Accounting {
		accounting = fmt.Sprintf("AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\nAccountingStoragePort=%d\nAccountingStoragePass=%s", r.ports.dbd, filepath.Join(r.dir, "munge.sock"))
	}
	if r.o.Cgroups {
		track = "ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup"
	}
	age := cmp.Or(r.o.MinJobAge, 300*time.Second)
	text := strings.NewReplacer("DIR", r.dir, "HOST", host, "USER", userName(), "AGE", fmt.Sprint(int(age.Seconds()))).Replace(`ClusterName=gpuci
SlurmctldHost=HOST(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=DIR/munge.sock,cred_expire=5
CredType=cred/munge
SlurmUser=USER
SlurmdUser=USER
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.%n.pid
TaskProlog=DIR/prolog
SlurmctldDebug=verbose
SlurmdDebug=verbose
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=10
KillWait=5
MinJobAge=AGE
DefMemPerNode=100
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobAcctGatherType=jobacct_gather/none
PartitionName=main Nodes=ALL Default=YES MaxTime=600 PriorityTier=1
PartitionName=cheap Nodes=ALL MaxTime=600 PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent Nodes=ALL MaxTime=600 PriorityTier=10 PreemptMode=OFF
`)
	text += fmt.Sprintf("SlurmctldPort=%d\n%s\n%s\n%s\n", r.ports.ctld, accounting, track, r.o.Conf)
	for i, port := range []int{r.ports.a, r.ports.b} {
		text += fmt.Sprintf("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=64 RealMemory=16000 Gres=gpu:2\n", r.Nodes[i], host, port)
	}
	return text
}

func (r *Rig) slurmdbdConf() string {
	return strings.NewReplacer("DIR", r.dir, "USER", userName(), "DBDPORT", fmt.Sprint(r.ports.dbd), "DBPORT", fmt.Sprint(r.ports.db)).Replace(`AuthType=auth/munge
AuthInfo=socket=DIR/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=DBDPORT
SlurmUser=USER
PidFile=DIR/slurmdbd.pid
DebugLevel=verbose
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=DBPORT
StorageUser=root
StoragePass=none
StorageLoc=gpuci
`)
}
