// Package pressure will read how long tasks waited for CPU, IO and memory
// (/proc/pressure), name the cause of a stall, and say when new work may start.
//
// Nothing of it is in this version. A gate's record says so: its step
// "pressure" is absent.
package pressure
