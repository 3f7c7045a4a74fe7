// Package slurm is an executor whose tasks are jobs of Slurm's: sbatch hands one over,
// squeue says how far all are, sacct or scontrol says how each ended, scancel ends them.
//
// # One task, one job
//
// The job's name is the task's cookie, which the caller has written down before: whoever
// knows it finds the job. What a job runs is constant, and what is to be run are its
// arguments, so that no name is read by a shell. An sbatch runs in a process group of its
// own and holds a lock in the night's directory, so that it is neither cut by a Ctrl-C nor
// overlooked by the process that takes over after a SIGKILL. Where it fails and slurmctld
// may have taken the job all the same, the job is looked for by name before it is handed
// over again. Should two jobs have one name in the end, the second finds the claim of the
// first in the task's directory and runs nothing; the first counts.
//
// # What is believed
//
// A verdict is taken from the result of a job's last attempt, and only where Slurm says
// that this attempt ended by itself, with the exit code that the result says. Slurm is
// accounting (sacct) where there is some. Accounting is a copy of what slurmctld knows and
// is up to five seconds behind: where it does not know of an end within half a second,
// within ten for who has cancelled a job, or gives no answer, slurmctld is asked (scontrol
// show job). The queue (squeue) only tells people how it is and gpuci that there is
// something to ask. Where Slurm has forgotten a job (MinJobAge, without accounting) its
// last attempt that has begun must have a result. sbatch --wait is not used.
//
// What comes of a job that did not end so is refused or broken, never red or green:
//
//	PREEMPTED                           refused, preempted
//	NODE_FAIL, BOOT_FAIL and the like   refused, node-fail
//	CANCELLED                           refused, cancelled, by whom where accounting says it
//	DEADLINE, REVOKED                   refused, cancelled
//	OUT_OF_MEMORY                       broken, out-of-memory
//	TIMEOUT                             broken, time-limit
//	FAILED by a signal, without a       broken, lost, with the last lines of its output
//	result, or with another exit code
//	sbatch told no, or no node fits     refused, refused
//	pending over [slurm] wait, or for   refused, held, with Slurm's reason; it is cancelled
//	what never comes (PartitionTimeLimit)
//	to begin more often than attempts   refused, requeued-too-often; it is cancelled
//	forgotten, without a result         broken, lost
//
// A job that Slurm puts back into the queue (preempted, node lost, scontrol requeue) waits
// again; every attempt has a claim, a log and a result of its own.
//
// The result is read before that is said of it, and is recorded here after. An attempt that
// was only seen to wait is one: what an earlier one left is not the last one's.
//
// # Where the shared directory is away
//
// A network file system whose server is gone lets who asks wait, beyond the reach of any
// signal. So each question to it goes beside the executor's own work, one at a time; most are
// waited for half a minute, and all no longer than until gpuci is told to end. Jobs
// are then cancelled by what Slurm knows of them. What ended meanwhile is judged once the
// directory is back, and lost where that takes a quarter of an hour.
//
// # What it asks of a cluster
//
// One squeue for all jobs, of one user, at most once a second, twice where a result is
// there, and less often where slurmctld takes longer to answer: it is at work for us a
// twentieth of the time at most. One sacct for all that have ended, or a scontrol for each.
// For results one directory is read, every half second.
package slurm
