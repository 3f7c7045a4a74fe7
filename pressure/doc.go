// Package pressure reads how long tasks waited for CPU, IO and memory, from
// the kernel's pressure stall information (PSI, /proc/pressure,
// Documentation/accounting/psi.rst).
//
// It promises: what cannot be told is unknown, with the reason, and never 0. A
// kernel without PSI, one booted with it switched off (the files are there, and
// reading them gives EOPNOTSUPP), a file that is not ours to read, and one that
// was torn are all unknown.
//
// The averages lag: avg10 takes about ten seconds to show a stall that began.
// For a stretch of time that we watched ourselves, Stall works from the
// difference of two totals.
//
// Watch sleeps until the kernel's triggers wake it, and Record takes a timeline
// down. Admission says when work is better held back, Diagnose what a machine is
// short of. The package knows nothing of lanes or processes: who waits for the
// disk is handed to it.
package pressure
