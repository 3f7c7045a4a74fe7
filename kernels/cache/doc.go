// Package cache keeps what was once made under the name of all that it was made
// of, in a directory that several processes use at once: records (small texts by
// key) and blobs (bytes by their own SHA-256).
//
// It promises: nobody ever reads half of anything, whoever was killed while
// writing and whatever the disk did, since a file is written aside and renamed and
// its content is held against its sum when it is read; a lock is held only as long
// as its holder lives; the directory stays below its limit of bytes, but for what
// was added since the last [Cache.Trim], and the least lately used goes first.
//
// It does not promise to keep anything: a record whose blob is gone is a miss, and
// so is all that was damaged. Nothing is synced to the disk, because what a crash
// of the machine takes can be made again.
//
// In the directory: record/ab/KEY, blob/ab/SUM, lock/abc, scratch/NAME and
// scratch/NAME.lock.
package cache
