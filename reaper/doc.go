// Package reaper will find and end what a killed build left behind, by the
// lane it belongs to and never by its name alone. Its ground, what the kernel
// says about a process, is in reaper/proc.
//
// Nothing of the sweep is in this version. A gate's record says so: its step
// "sweep" is absent.
package reaper
