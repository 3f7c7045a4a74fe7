// Package history keeps what came of every gate of a repository: outcomes,
// marks and numbers of all lanes, for years, written by several gpuci at once,
// any of which may be killed at any moment.
//
// A [Store] is a SQLite database, history.db, beside the runs. What it promises:
//
//   - What [Store.Record] has returned nil for is there afterwards, whoever is
//     killed. Nothing is synced at that moment, so a power cut can lose the last
//     few results, but does not tear the file.
//   - A result is not lost because the database cannot be used. It goes to a
//     journal then, one file of JSON lines for each host and user, which the
//     next Store to open a database that can be used imports: once, whatever is
//     read twice.
//   - A file in the database's place that is torn, or not ours, is set aside
//     under another name and said so. It is never written to and never removed.
//     One that a newer gpuci made stays where it is.
//   - Numbers of two series never stand in one answer: see [Series].
//
// What it does not: two results with one run id are one result, the first. Who
// may write to the journals can write down what never happened, under their own
// uid, which [Result.UID] gives as the owner of the file. So what others left
// there is never the latest of a gate ([Store.Latest]), nor held against
// ([Store.Believes]): it is told apart, and counted ([Store.Aside]).
//
// # Only SQLite opens the file
//
// POSIX record locks belong to a process, and closing any descriptor of a file
// drops all locks that the process has on it. So nothing here opens history.db
// to look at its header, to hash it or to copy it, and nobody else in the
// process may; lstat(2) and rename(2) do no harm.
//
// # Hardly a sync at the end of a gate
//
// The last connection to leave a database in WAL mode writes the log into it
// and syncs both, which takes seconds on the stalled disk that gpuci is made
// for. A connection that may only read cannot do that, so a Store keeps one and
// closes it last. The log stays: it is written back when it has grown, by one
// Store in ten or so, and lets a user who may not write here read.
package history
