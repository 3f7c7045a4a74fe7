package proc

import "slices"

// Table is one pass over the processes of a machine, by pid. It is a picture
// taken over some milliseconds: any of them may be gone by now.
type Table map[int]Stat

// Table reads every process's stat once. Processes that vanish meanwhile are
// left out, and so are those we may not look at (Scan lists them); a stat that cannot be parsed
// is an error, since a garbled /proc must not look like an empty machine.
func (r Root) Table() (Table, error) {
	p, err := r.Scan(ScanOptions{})
	return p.Table, err
}

// Below returns the descendants of the given processes, parents before
// children, the given ones not included. A pid below 1 is nobody's, though the
// kernel writes 0 for the parent of the first processes: nothing is below it.
func (t Table) Below(pids ...int) []Stat {
	children := make(map[int][]Stat)
	for _, s := range t {
		children[s.PPID] = append(children[s.PPID], s)
	}
	var out []Stat
	seen := make(map[int]bool)
	pids = slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return pid <= 0 })
	for _, pid := range pids {
		seen[pid] = true
	}
	for queue := pids; len(queue) > 0; queue = queue[1:] {
		for _, c := range children[queue[0]] {
			if seen[c.PID] {
				continue // a reused pid can make a loop out of one picture
			}
			seen[c.PID] = true
			out = append(out, c)
			queue = append(queue, c.PID)
		}
	}
	return out
}

// Lineage is a process and its ancestors, itself first, as far as they can be
// read. They are read one by one upwards; when one of them ends meanwhile, the
// line leads where it now leads.
func (r Root) Lineage(pid int) (out []Stat) {
	seen := map[int]bool{}
	for up := pid; up > 0 && !seen[up]; {
		s, err := r.Stat(up)
		if err != nil {
			break
		}
		seen[up] = true
		out = append(out, s)
		up = s.PPID
	}
	return out
}
