package main

import (
	"fmt"
	"os"
	"strings"

	"gpuci/reaper/proc"
)

// unseen is something that a look cannot see, and who could.
type unseen struct{ what, who string }

// firstPIDNamespace is the inode number of the pid namespace that the machine
// booted with, PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h.
const firstPIDNamespace = 0xEFFFFFFC

// rootCan is who sees what is not ours.
const rootCan = "root"

// unseenBy lists what a look may have missed.
func unseenBy(s *sampling, stuck []stuckProcess) (out []unseen) {
	noIO, nobodys := 0, 0
	for _, p := range stuck {
		if p.noIO == noIORight {
			noIO++
		}
		if p.where.unknown != "" {
			nobodys++
		}
	}
	add := func(who, format string, args ...any) { out = append(out, unseen{fmt.Sprintf(format, args...), who}) }
	if noIO > 0 {
		add(rootCan, "the bytes of %s of other users", count(noIO, "process", "processes"))
	}
	if nobodys > 0 {
		add(rootCan, "the lane of %s in D", count(nobodys, "process", "processes"))
	}
	if n := len(s.last.Hidden); n > 0 {
		add(rootCan, "%s of other users at all (hidepid)", count(n, "process", "processes"))
	} else if text, err := os.ReadFile("/proc/self/mountinfo"); err == nil && os.Geteuid() != 0 && hidesOthers(string(text)) {
		add(rootCan, "processes of other users (/proc is mounted with hidepid)")
	}
	ns, err := proc.Real.Namespaces(os.Getpid())
	if err == nil && ns.PID != firstPIDNamespace {
		add("who looks from outside of this container", "processes outside of this pid namespace; what they do to the disk is in the numbers all the same")
	}
	return out
}

// hidesOthers says whether a /proc is mounted so that it does not list the
// processes of others at all: in mountinfo, proc_pid_mountinfo(5), the options
// of the file system are the last field.
func hidesOthers(mountinfo string) bool {
	for line := range strings.Lines(mountinfo) {
		f := strings.Fields(line)
		if len(f) < 7 || f[4] != string(proc.Real) {
			continue
		}
		for option := range strings.SplitSeq(f[len(f)-1], ",") {
			switch option {
			case "hidepid=2", "hidepid=invisible", "hidepid=4", "hidepid=ptraceable":
				return true
			}
		}
	}
	return false
}
