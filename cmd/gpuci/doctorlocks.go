package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

func (d *doctor) checkLocks(ctx context.Context) []check {
	dir := d.place.lockDir()
	if err := buildlock.Usable(dir); err != nil {
		return []check{broken("directory", err.Error(), "nothing runs without its lock", buildlock.Remedy(err, dir)).at(dir).stops(exitUnfit)}
	}
	where := fine("directory", lockPlace(dir)+d.lockOrigin()).at(dir)
	queues, err := buildlock.Status(ctx, dir)
	if err != nil {
		return []check{where, unsure("links", err.Error())}
	}
	return []check{where, d.checkLinks(queues), checkHolders(queues)}
}

// lockPlace is what can be seen of the directory from outside.
func lockPlace(dir string) string {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return "not there yet; the first build makes it"
	}
	text := fmt.Sprintf("%s's, mode %04o", buildlock.UserName(int(st.Uid)), st.Mode&0o7777)
	if fs, err := buildlock.FileSystemOf(dir); err == nil && fs.Network != "" {
		text += ", on " + fs.Network
	}
	return text
}

// lockOrigin says who names the directory, where somebody does.
func (d *doctor) lockOrigin() string {
	if os.Getenv(shim.LockDirVar) != "" {
		return ", named by " + shim.LockDirVar
	}
	if o, ok := d.place.config.Origin("lock-dir"); ok {
		return fmt.Sprintf(", named by %s:%d", o.File, o.Line)
	}
	return ""
}

// checkLinks says how many links run at a time, and who says so.
func (d *doctor) checkLinks(queues []buildlock.Queue) check {
	slots, said := 1, 1
	if at := slices.IndexFunc(queues, func(q buildlock.Queue) bool { return q.Lock == buildlock.Link }); at >= 0 {
		slots = queues[at].Slots
	}
	said = max(1, d.place.config.MachineLinks)
	text := fmt.Sprintf("%d at a time on this machine", slots)
	switch o, ok := d.place.config.Origin("links"); {
	case slots != said:
		text += fmt.Sprintf("; the machine file says %d, which the next build of root, or of the directory's owner, writes down", said)
	case d.place.config.MachineLinks == 0:
		text += ", the default (links in the machine file)"
	case ok && d.place.links() == 0:
		text += fmt.Sprintf(", by %s:%d", o.File, o.Line)
	}
	if n := d.place.links(); n > 0 {
		text += fmt.Sprintf("; %d of this place's own", n)
	}
	if n := number(ownEnv(), shim.LinksVar); n > 0 && n < slots {
		text += fmt.Sprintf("; %d by %s", n, shim.LinksVar)
	}
	return fine("links", text)
}

// checkHolders names who has a lock and does not move on by himself.
func checkHolders(queues []buildlock.Queue) check {
	var stuck []string
	holds, waits := 0, 0
	for _, q := range queues {
		for _, e := range q.Entries {
			switch {
			case e.Stopped, e.State == buildlock.StateVoid, e.State == buildlock.StateKept && len(e.Keepers) == 0:
				stuck = append(stuck, fmt.Sprintf("%s %s", e.ID, stuckText(e)))
			case e.State == buildlock.StateWaits:
				waits++
			default:
				holds++
			}
		}
	}
	if len(stuck) > 0 {
		return lost("holders", strings.Join(stuck, "; "), "who waits for one of them waits until its time is over", "gpuci lock status says more; fg or kill -CONT lets a stopped one go on, gpuci lock void TICKET --why … is the way past one")
	}
	return fine("holders", fmt.Sprintf("%d at work, %d in line, none stuck", holds, waits))
}

func stuckText(e buildlock.Entry) string {
	if e.State == buildlock.StateVoid {
		return "was declared void and its file is still locked, " + e.String()
	}
	return e.State + " " + e.String()
}
