// Package executor is what runs gates for package ci: on this machine (package local),
// or on others (package slurm). An [Executor] is handed tasks, each one attempt at one
// gate at one content, and brings back what came of each: a verdict, or the reason why
// there is none. Package ci decides what is run and in which order, writes down what it
// hands over before it does, and is the only caller.
//
// # What an executor promises
//
// [executortest.Contract] holds every executor to it:
//
//   - A task that was submitted is done once, with a verdict or a [Loss], however often
//     and in whatever order it is asked.
//   - A cookie is its task's name wherever the task is. Whoever knows the cookie can take
//     the task up ([Executor.Adopt]) or end it ([Executor.Cancel]), also where the process
//     that submitted it was killed in the middle of that.
//   - A verdict is of the content that was submitted, of the task's last attempt, and of a
//     run that ended by itself. Everything else is a loss: refused, where the same may be
//     tried again, or broken, where something is to be mended first. A loss is never red
//     and never green.
//   - What is cancelled is told to end within two seconds.
//
// # A third executor
//
// Kubernetes Jobs: the cookie is the name of the Job (a DNS label: lower case, 63 bytes),
// so that creating one twice is refused by the server, which makes Submit simpler than
// sbatch; backoffLimit is the number of attempts, and the index of the pod that of the
// attempt; restartPolicy is Never, so that a container's second start is a new pod with a
// claim of its own. Preempted, evicted and node lost are the DisruptionTarget condition of
// the pod, out of memory is the container's OOMKilled, the time limit activeDeadlineSeconds.
// needs is a resource limit nvidia.com/gpu. Look is one list with a label selector and a
// resourceVersion, or a watch behind Limits.Changed. What it lacks is the shared directory:
// order and content would go through an object store or a ReadWriteMany volume, results
// back the same way; the termination message (4 KiB) holds no verdict.
//
// Buildkite: an agent takes jobs of pipelines, which a step uploads (pipeline upload); the
// cookie is the step's key, the content is the commit that the agent checks out, and a
// patch has to go along as an artifact. The REST API lists the jobs of a build in one
// request. Its retries are by exit status, which is what a verdict must not hang on: retry
// is to be off, and attempts ours. Whoever presses Retry makes a second job of one key, as
// scontrol requeue does: the claim in the artifact store decides.
//
// Both need what package spool does for a shared directory: order, claim, log, result, each
// written whole or not at all, by the attempt's number.
//
// # At a thousand nodes
//
// One poll for all: Look asks once, whatever the number of tasks, and [Limits].Every is to
// be raised with what the scheduler can take (slurmctld answers squeue under a lock that
// scheduling needs too). Limits.InFlight bounds what the scheduler holds for us, not what
// is to be run: the rest waits in the night, which costs nothing. All results of a night
// are in one directory, of one readdir a look; at a hundred thousand they want a directory
// per thousand tasks. Order and log are a directory per task, which nobody lists. The
// content is carried once per content and read by each node: a thousand nodes that begin at
// once read one file of the shared place a thousand times, where a copy per rack, or
// sbcast, is due. The own cost of a gate is measured by a simulation of ten thousand
// (TestSimulation in package ci).
package executor
