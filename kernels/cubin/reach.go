package cubin

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// reach is what a kernel and all that it comes to do.
type reach struct {
	atomics []entry.Atomic
	shared  bool   // atomics are still those of the kernel's own section
	why     string // float atomics are not known, "" where they are
	out     bool   // it calls what was compiled apart
}

// include counts what a function has.
func (all *reach) include(a entry.Atomic, of string) {
	if all.shared {
		all.atomics, all.shared = slices.Clone(all.atomics), false
	}
	if i := slices.IndexFunc(all.atomics, func(o entry.Atomic) bool { return o.Op == a.Op }); i >= 0 {
		all.atomics[i].Count += a.Count
		return
	}
	a.In = strings.Clone(of)
	all.atomics = append(all.atomics, a)
}

// reach follows a kernel, the id-th, from its section.
func (r *reader) reach(id, section int) reach {
	f := &r.flow
	from := f.unit(section) - 1
	if from < 0 {
		return reach{why: "it has no instructions"}
	}
	all := reach{atomics: f.units[from].atomics, shared: true}
	f.cut = false
	f.units[from].visited = int32(id)
	open, pointed := []int32(nil), false
	for at := from; ; at, open = open[len(open)-1], open[:len(open)-1] {
		u := &f.units[at]
		r.step(&all, u, at == from)
		open = f.push(open, u.to, id)
		if len(u.pointers) > 0 && !pointed {
			pointed = true
			open = f.push(open, f.taken, id)
		}
		if len(open) == 0 {
			break
		}
	}
	if f.cut && all.why == "" {
		all.why = "more functions are called in this file than are followed"
	}
	return all
}

// push adds those of a list that were not looked at for a kernel.
func (f *flow) push(open, list []int32, id int) []int32 {
	for _, to := range list {
		f.steps--
		if f.units[to].visited == int32(id) {
			continue
		}
		if f.steps < 0 {
			f.cut = true
			break
		}
		f.units[to].visited = int32(id)
		open = append(open, to)
	}
	return open
}

// step adds what one section does, the kernel's own or another.
func (r *reader) step(all *reach, u *unit, own bool) {
	of := ""
	if !own {
		of = strings.TrimPrefix(r.image.sections[u.section].name, prefixText)
		all.out = all.out || !strings.Contains(of, ofCompiler)
		for _, a := range u.atomics {
			if r.flow.room--; r.flow.room < 0 {
				r.flow.cut = true
				break
			}
			all.include(a, of)
		}
		of = " of " + of
	}
	all.out = all.out || u.outside != "" || len(u.pointers) > 0
	if all.why == "" {
		all.why = r.doubt(u, of)
	}
}

// doubt says what in a section keeps float atomics from being known, with whose section
// it is; "" where nothing does.
func (r *reader) doubt(u *unit, of string) string {
	pointer := "a call through a pointer at 0x%x%s, "
	switch {
	case u.unsure != "":
		return fmt.Sprintf("%s at 0x%x%s", u.unsure, u.unsureAt, of)
	case u.outside != "":
		return fmt.Sprintf("a call of %s%s, which is not in this file", u.outside, of)
	case u.absolute > 0:
		return "a call of a fixed address" + of
	case len(u.pointers) > 0 && r.image.relative:
		return fmt.Sprintf(pointer+"and nvlink is still to bring others' functions", u.pointers[0], of)
	case len(u.pointers) > 0 && len(r.flow.taken) == 0:
		return fmt.Sprintf(pointer+"and no function that it could mean is in this file", u.pointers[0], of)
	case u.local > 0 && !u.embedded:
		return fmt.Sprintf(pointer+"and no function that it could mean is in this file", u.local, of)
	}
	return ""
}
