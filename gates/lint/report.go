package lint

import (
	"cmp"
	"slices"
)

// Report is what was found, the certain ones first in each file.
type Report struct {
	Findings []Finding
	Read     []string // files that were read
	Unread   []string // what could not be, with its place and the reason
	Beyond   []string // what is run and is of no kind that is read

	gates map[string][]string // that come by a file
}

// by notes that a gate comes by a file.
func (r *Report) by(path, gate string) {
	if r.gates == nil {
		r.gates = make(map[string][]string)
	}
	if !slices.Contains(r.gates[path], gate) {
		r.gates[path] = append(r.gates[path], gate)
	}
}

// cameBy says whether a file was read for a gate.
func (r *Report) cameBy(gate string) bool {
	for _, gates := range r.gates {
		if slices.Contains(gates, gate) {
			return true
		}
	}
	return false
}

// Exit is the exit code of what was found: 100 where a finding is proven, or cannot be
// meant, 103 where there are only others, 0 where there is none.
func (r *Report) Exit() int {
	code := 0
	if len(r.Unread) > 0 {
		code = exitAttention
	}
	for _, f := range r.Findings {
		switch {
		case f.Accepted != "" || f.State == Withdrawn:
		case f.State == Proven || f.Certain:
			return exitRed
		default:
			code = exitAttention
		}
	}
	return code
}

// add keeps a finding once; the gates that come by are put together.
func (r *Report) add(f Finding) {
	for i := range r.Findings {
		o := &r.Findings[i]
		if o.File == f.File && o.Line == f.Line && o.Command == f.Command && sameSpan(o.edits, f.edits) {
			for n, g := range f.Gates {
				if !slices.Contains(o.Gates, g) {
					o.Gates = append(o.Gates, g)
					if n < len(f.edits) {
						o.edits = append(o.edits, f.edits[n])
					}
				}
			}
			o.Certain = o.Certain || f.Certain
			return
		}
	}
	if f.Why == "" {
		f.Why, f.Instead = advice(f.Kind)
	}
	r.Findings = append(r.Findings, f)
}

func sameSpan(a, b []edit) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return a[0].from == b[0].from && a[0].file == b[0].file && a[0].arg == b[0].arg && a[0].command == b[0].command
}

// sort puts them in the order of files and lines.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	slices.Sort(r.Read)
	r.Read = slices.Compact(r.Read)
}
