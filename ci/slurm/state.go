package slurm

import (
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// State is a job's state in Slurm's words, without what it says after them.
type State string

// standing is what a state says of a job.
type standing int

const (
	waits    standing = iota // it has not begun, or is to begin again
	runs                     // it has begun, and not ended
	byItself                 // it ended by itself: its result counts
	taken                    // it was ended: nothing came of it
)

// states are those of job_state_string and of the flags that are shown in their place
// (slurm/slurm.h, squeue(1), sacct(1)). One that is not here is waited for.
var states = map[State]standing{
	"PENDING": waits, "REQUEUED": waits, "REQUEUE_FED": waits, "REQUEUE_HOLD": waits, "SPECIAL_EXIT": waits, "RESV_DEL_HOLD": waits,
	"RUNNING": runs, "SUSPENDED": runs, "CONFIGURING": runs, "COMPLETING": runs, "STOPPED": runs, "SIGNALING": runs, "STAGE_OUT": runs, "RESIZING": runs,
	"POWER_UP_NODE": runs, "UPDATE_DB": runs,
	"COMPLETED": byItself, "FAILED": byItself,
	"CANCELLED": taken, "PREEMPTED": taken, "NODE_FAIL": taken, "BOOT_FAIL": taken, "LAUNCH_FAILED": taken, "RECONFIG_FAIL": taken,
	"TIMEOUT": taken, "DEADLINE": taken, "OUT_OF_MEMORY": taken, "REVOKED": taken,
}

// ended says whether nothing more comes of a job in this state.
func (s State) ended() bool { return states[s] >= byItself }

// Record is what Slurm says of a job: its state, and how it ended.
type Record struct {
	ID       string
	Name     string
	State    State
	By       string // of one that was cancelled: the uid of who did it; "" where that is not known
	Reason   string
	Exit     int // exit code of its last attempt
	Signal   int // that ended it; 0 for none
	Restarts int // how often it was begun again; -1 where that is not known
	Node     string
	Submit   time.Time // of its last attempt
	End      time.Time // zero where it has not ended
}

// The kinds of losses.
const (
	kindPreempted = "preempted"
	kindNodeFail  = "node-fail"
	kindCancelled = "cancelled"
	kindHeld      = "held"
	kindRefused   = "refused"
	kindRequeued  = "requeued-too-often"
	kindMemory    = "out-of-memory"
	kindTime      = "time-limit"
	kindLost      = "lost"
)

// noOutput is what Slurm gives as a signal where slurmstepd cannot open the files of a job:
// ESLURMD_IO_ERROR less the base of its errors.
const noOutput = 53

// loss is what it means that Slurm has ended a job, or that it failed without a result.
func (r Record) loss() *executor.Loss {
	where := ""
	if r.Node != "" {
		where = " on " + r.Node
	}
	if !r.End.IsZero() {
		where += " at " + r.End.Local().Format("15:04:05")
	}
	job := "job " + r.ID
	const again = "run it again"
	switch r.State {
	case "CANCELLED":
		who := "by somebody: without accounting Slurm does not say by whom"
		if r.By != "" {
			who = "by " + userOf(r.By)
		}
		return refused(kindCancelled, fmt.Sprintf("%s was cancelled%s %s", job, where, who), again)
	case "PREEMPTED":
		return refused(kindPreempted, fmt.Sprintf("%s was preempted%s by one that goes before it", job, where), again, "a partition or qos that is not preempted: [slurm] partition, qos")
	case "NODE_FAIL", "BOOT_FAIL", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return refused(kindNodeFail, fmt.Sprintf("%s lost its node%s (%s)", job, where, r.State), again, "scontrol show node "+r.Node)
	case "OUT_OF_MEMORY":
		return broken(kindMemory, fmt.Sprintf("%s went over its memory%s", job, where), `ask for more: memory = "64GiB" in [gate.slurm]`)
	case "TIMEOUT":
		return broken(kindTime, fmt.Sprintf("%s went over its time limit in Slurm%s", job, where), "the gate's own limits come first, unless it waits for long on the node: raise margin in [slurm]")
	case "DEADLINE", "REVOKED":
		return refused(kindCancelled, fmt.Sprintf("%s was ended by Slurm%s (%s)", job, where, r.State), again)
	}
	if r.Node == "" { // sbatch was told no, and slurmctld has made a job of it all the same
		return refused(kindRefused, fmt.Sprintf("Slurm did not take %s: %s", job, r.Reason), "see what the cluster has: sinfo; scontrol show partition")
	}
	if r.Signal == noOutput {
		return broken(kindLost, fmt.Sprintf("%s could not begin%s: Slurm could not open the job's output there, in the shared directory", job, where))
	}
	how := fmt.Sprintf("exit code %d", r.Exit)
	if r.Signal > 0 {
		how = fmt.Sprintf("signal %d", r.Signal)
	}
	return broken(kindLost, fmt.Sprintf("%s ended%s with %s and without a result", job, where, how))
}

func refused(kind, why string, next ...string) *executor.Loss {
	return &executor.Loss{Outcome: gates.Refused, Kind: kind, Why: why, Next: next}
}

func broken(kind, why string, next ...string) *executor.Loss {
	return &executor.Loss{Outcome: gates.Broken, Kind: kind, Why: why, Next: next}
}

// userOf is a uid as people know it.
func userOf(uid string) string {
	if u, err := user.LookupId(uid); err == nil {
		return u.Username
	}
	return "uid " + uid
}

// parseState reads "CANCELLED by 0", and "CANCELLED+" of a command that has cut it.
func parseState(s string) (State, string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	by := ""
	if uid, ok := strings.CutPrefix(rest, "by "); ok {
		if _, err := strconv.ParseUint(uid, 10, 32); err == nil {
			by = uid
		}
	}
	return State(strings.TrimSuffix(word, "+")), by
}

// parseExit reads "100:0", an exit code and a signal. Slurm counts an out-of-memory kill
// as signal 125.
func parseExit(s string) (code, signal int, ok bool) {
	a, b, two := strings.Cut(s, ":")
	code, err := strconv.Atoi(a)
	signal, err2 := strconv.Atoi(b)
	return code, signal, two && err == nil && err2 == nil && code >= 0 && signal >= 0
}

// parseTime reads seconds since 1970; Slurm has words where there is no time yet.
func parseTime(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(n, 0)
}

// isID says whether s can be a job's id: of arrays and of what belongs together in another
// way there is none here.
func isID(s string) bool {
	n, err := strconv.ParseUint(s, 10, 32)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
