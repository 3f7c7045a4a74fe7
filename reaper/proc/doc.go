// Package proc reads what the kernel says about processes and starts the ones
// a gate runs so that none of them outlives it.
//
// It promises: an identity that a reused pid cannot carry (pid, start ticks,
// boot id); a signal is sent only to a process whose identity was read again
// after a pidfd on it was open; after End returns, everything the command
// started is gone or named in the answer.
//
// Of reading it promises: one pass over all processes costs one read for each
// of them, more only when asked; what is not ours to look at is unknown, which
// is neither an error nor empty; a process that ends while it is read is
// ErrGone; and no reader waits for a target in D. The two files whose reading
// takes the lock of the target's memory, cmdline and environ, are read by a
// child that is given up at a deadline. (Exe, Cwd, FDs and Holders look at a
// file itself where its text leaves a doubt, and Exe and Cwd for its inode;
// that can wait for the server of a network file system. Glance reads cmdline
// without a child: it returns in time, and a thread of ours may hang.)
//
// Supervision is a cgroup v2 leaf below our own cgroup, where one can be made:
// the command is born in it, nothing leaves it by forking, one write ends it,
// and the kernel says when it is empty. Where none can be made it is a session
// of its own for the command, PR_SET_CHILD_SUBREAPER for ourselves, so that
// orphans are handed to us, and a cookie in the environment. An orphan is the
// command's when it is in its leaf or session, was seen below it before, or
// was started with its cookie. One with none of that is the command's only
// while nobody else can be meant: no other command runs, we are not pid 1, and
// there was no stranger among our children when it began. Else it is left
// alone, and nothing says so: a process that cleared its environment, left the
// session (or, below an interactive command, did not) and lost its parent
// before we looked. Nor is what others start for a command its own:
// systemd-run, at, docker.
//
// What a supervisor that was killed itself left is found again by a Leftover:
// its leaves by their names, and without leaves the processes that have its
// cookie in the environment they were started with. One that was started
// without it (env -i) is lost there, and nothing says so; one whose environment
// does not answer or is not ours to read is named, and not ended; what root
// moved out of a leaf is not looked for.
//
// It decides nothing about processes that it did not start: which one is
// leaked, whose it is and whether it may be ended is the business of the
// packages above. Of those that it did start, all go but the daemons that are
// named to it.
package proc
