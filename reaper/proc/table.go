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

// Above returns the ancestors of a process, its parent first, as far as the
// table has them.
func (t Table) Above(pid int) []Stat {
	var out []Stat
	seen := map[int]bool{pid: true}
	for s, ok := t[pid]; ok; {
		if s, ok = t[s.PPID]; !ok || seen[s.PID] {
			break
		}
		seen[s.PID] = true
		out = append(out, s)
	}
	return out
}
