package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/pressure"
	"gpuci/reaper/proc"
)

func (d *doctor) checkKernel(ctx context.Context) []check {
	release := kernelRelease()
	out := []check{fine("kernel", "Linux "+release), checkPidfd()}
	out = append(out, checkPressure(pressureRoot())...)
	out = append(out, checkLeaf(ctx, release)...)
	return append(out, checkProcesses(), checkWaits(), checkSwap(), checkEvents())
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

func checkPidfd() check {
	if err := proc.TryPidfd(); err != nil {
		return lost("pidfd", err.Error(), "no process can be ended for certain: nothing is swept, and what a gate leaves may stay", "Linux 5.3, or a container that lets pidfd_open through")
	}
	return fine("pidfd", "processes are signalled by one").hidden()
}

// checkPressure looks at the levels and at the triggers.
func checkPressure(root string) []check {
	r := pressure.Read(root)
	var known, not []string
	for _, x := range []struct {
		name string
		read pressure.Resource
	}{{"cpu", r.CPU}, {"io", r.IO}, {"memory", r.Memory}} {
		if x.read.Unknown == nil {
			known = append(known, x.name)
		} else {
			not = append(not, x.read.Unknown.Error())
		}
	}
	levels := fine("pressure", strings.Join(known, ", ")).at(root)
	if len(not) > 0 {
		levels = lost("pressure", strings.Join(append(known, not...), "; "), "links and gates are not held back by what is not known, and outcomes are marked so", pressureGet(r)).at(root)
	}
	if len(known) == 0 {
		return []check{levels}
	}
	return []check{levels, checkTriggers(pressure.Triggers(root))}
}

func pressureGet(r pressure.Reading) string {
	for _, x := range []pressure.Resource{r.CPU, r.IO, r.Memory} {
		if errors.Is(x.Unknown, unix.EOPNOTSUPP) {
			return "boot with psi=1"
		}
	}
	return "a kernel with CONFIG_PSI (Linux 4.20), with /proc of the machine in a container"
}

// checkTriggers says how soon a stall is seen. A watch has triggers for all that
// is known, or none.
func checkTriggers(list []pressure.Trigger) check {
	const without = "gpuci pressure watch looks every second instead of sleeping until there is a stall"
	var longest time.Duration
	for _, t := range list {
		if t.Err != nil {
			return lost("triggers", t.Err.Error(), without, "Linux 5.2 and CAP_SYS_RESOURCE, or Linux 6.4")
		}
		longest = max(longest, t.Window)
	}
	if longest > time.Second {
		return fine("triggers", fmt.Sprintf("window of %v: a stall is seen after up to 4 s (1 s takes CAP_SYS_RESOURCE)", longest))
	}
	return fine("triggers", fmt.Sprintf("window of %v", longest))
}

// checkLeaf has one made, as for a gate's command.
func checkLeaf(ctx context.Context, release string) []check {
	const get = "a cgroup v2 that we may write to: systemd-run --user --scope gpuci …, a delegated cgroup, or --cgroupns=private in a container"
	got, err := proc.TryLeaf(ctx)
	kill := fine("cgroup.kill", "Linux "+release+" has it").hidden()
	switch {
	case errors.Is(err, proc.ErrNoLeaf):
		leaf := lost("cgroup leaf", err.Error(), "who clears his environment, leaves the session and loses his parent can outlive a gate unseen", get)
		if !atLeast(release, 5, 14) {
			kill = lost("cgroup.kill", "Linux "+release+" has none", "no gate runs in a leaf", "Linux 5.14")
		}
		return []check{leaf, kill}
	case err != nil:
		return []check{unsure("cgroup leaf", err.Error())}
	}
	leaf := fine("cgroup leaf", "what a gate starts is held in one, and ended as one")
	memory := fine("memory peak", "the leaf tells it").hidden()
	if !got.Memory {
		memory = lost("memory peak", "the memory controller is not on in our cgroup", "that of the largest process is told, not that of all together", "+memory in cgroup.subtree_control of the cgroup that ours is in, which systemd gives by Delegate=yes")
	}
	return []check{leaf, kill, memory}
}

// checkProcesses says whether all processes can be seen.
func checkProcesses() check {
	const without = "their locks, links and stalls are nobody's; nothing of theirs is ended"
	text, err := os.ReadFile("/proc/self/mountinfo")
	_, first := proc.Real.Stat(1)
	ns, nsErr := proc.Real.Namespaces(os.Getpid())
	switch {
	case err == nil && os.Geteuid() != 0 && hidesOthers(string(text)), first != nil:
		return lost("processes", "those of other users are hidden (/proc is mounted with hidepid)", without, "mount -o remount,hidepid=0 /proc, or be in the group of its gid= option")
	case nsErr == nil && ns.PID != firstPIDNamespace:
		return lost("processes", "those outside of this pid namespace are not seen (a container)", without, "run gpuci outside, or --pid=host")
	case os.Geteuid() != 0:
		return fine("processes", "all are seen; what files those of other users have open, root sees")
	}
	return fine("processes", "all are seen")
}

// checkWaits says whether it can be told what a process in D waits for.
func checkWaits() check {
	const without = "what a hung process waits for is not told, and one that waits for no disk counts as if it did"
	name, err := proc.TryWaitChannel()
	switch {
	case err != nil:
		return lost("wait channels", err.Error(), without, "a kernel with CONFIG_KALLSYMS and /proc/PID/wchan")
	case name == "":
		return lost("wait channels", "/proc/PID/wchan names none", without, "a kernel with CONFIG_KALLSYMS")
	case os.Geteuid() != 0:
		return fine("wait channels", "of our own processes; of others' root sees them")
	}
	return fine("wait channels", "of all processes")
}

func checkSwap() check {
	m, err := pressure.ReadMemory(pressure.RealMemory)
	switch {
	case err != nil:
		return unsure("memory", err.Error())
	case m.SwapTotal == 0:
		return fine("memory", fmt.Sprintf("%s, no swap: who runs out of it is killed at once", pressure.Bytes(m.Total)))
	}
	return fine("memory", fmt.Sprintf("%s, %s of swap", pressure.Bytes(m.Total), pressure.Bytes(m.SwapTotal)))
}

// checkEvents asks for the kernel's process events, which gpuci's own tests count
// links by, and nothing else does: nothing is lost without them.
func checkEvents() check {
	const name, group = "process events", 1 // CN_IDX_PROC of linux/connector.h
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_CONNECTOR)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: group})
		_ = unix.Close(fd)
	}
	c := fine(name, "may be asked for; only gpuci's own tests do")
	if err != nil {
		c.Value = fmt.Sprintf("may not be asked for (%v); only gpuci's own tests do", err)
	}
	return c.hidden()
}
