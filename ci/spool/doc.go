// Package spool is a directory that this machine shares with those that run gates for it:
// what they are handed goes there, and what came of it comes back.
//
// A task has a directory of its own with an order, which says all that a node has to
// know. Beside the tasks lies, once for all of them, what orders name: contents of the
// repository (a git bundle of the commit, and of what is not committed upon it), programs
// (the gpuci that hands over, by its hash), archives of `gpuci kernels bundle`; and a night
// has a snapshot of the history.
//
// What it promises:
//
//   - A file appears whole or not at all, and is on the disk before anybody is told of it.
//   - A task is run by one job: the first that claims it. What another one under the same
//     cookie finds is that claim. Every attempt of that job has a claim, a log and a
//     result of its own.
//   - A result is of one attempt, one order and one content, and says so; what is torn, of
//     another user, a link, or of something else is none, and the error says which.
//   - Only SQLite files that are this machine's are opened: a node copies its past out of
//     the place before it reads it, and gives back a verdict that is imported here.
//   - Taking a result twice is taking it once.
//
// What it does not: know whether an attempt was the last, or whether it ended by itself.
// That is the scheduler's to say; see package slurm.
//
// # The place
//
//	gpuci-UID/                        ours alone: mode 0700, and the owner is checked
//	  contents/COMMIT-HASH/           content.json, content.bundle
//	  programs/HASH/                  gpuci, gpuci-link, libgpuci-trace.so
//	  archives/HASH.tar.gz            of gpuci kernels bundle
//	  nights/NIGHT/past.db            a snapshot of the history, and since.jsonl: what came since
//	  nights/NIGHT/results/           COOKIE.JOB.RESTART.json
//	  nights/NIGHT/tasks/COOKIE/      order.json, claim.json, begun.JOB.RESTART.json,
//	                                  log.JOB.RESTART, job.JOB.out, run.JOB.RESTART/,
//	                                  reads/, withdrawn
package spool
