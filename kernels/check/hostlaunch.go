package check

import (
	"slices"
	"strings"

	"gpuci/kernels/host"
)

// launch holds a launch that was read in a host source against the kernels that it may
// be of. One that fits is enough, for the others may be launched elsewhere.
func (h *hostSide) launch(f host.File, l host.Launch) []Finding {
	places := h.launched(f, l)
	if !l.Off && len(places) == 0 && l.Form.BySource() && len(l.Kernels) > 0 && len(h.modules) > 0 {
		return []Finding{h.strange(f, l)}
	}
	if l.Off || len(places) == 0 {
		return nil
	}
	out := Finding{Kernel: shownAll(h.set, places), Module: label(h.modules[places[0].module]), File: f.Path, Line: l.Line}
	var all []Finding
	if m, bad := h.misfits(l, places); bad {
		out.Rule, out.Expected, out.Found, out.Harm = m.rule, m.expected, m.found, m.harm
		out.Next = "pass what the kernel takes, or build the module from the source that the host is written for"
		out.Note = m.rule == "launch-unknown"
		all = append(all, out)
	}
	var worst []Finding
	for _, p := range places {
		found := h.blocks(Finding{Kernel: shown(h.kernel(p)), Module: label(h.modules[p.module]), File: f.Path, Line: l.Line}, l.Block, p)
		if found == nil {
			return all
		}
		worst = found
	}
	return append(all, worst...)
}

// strange is the note about a launch of what is called as no kernel here is: one of
// another set, a parameter, a pointer to a function.
func (h *hostSide) strange(f host.File, l host.Launch) Finding {
	name, next := strings.Join(l.Kernels, " or "), "declare it in [[kernels.launch]], or add its source to a set"
	if !h.compiled(f.Path) {
		next = apart
	}
	return Finding{
		Rule: "launch-unknown", Kernel: name, File: f.Path, Line: l.Line, Note: true,
		Expected: "a launch of a kernel that was looked into", Found: "none is called " + name + " in " + h.counted(), Harm: "the launch is not checked",
		Next: h.meant(l.Kernels[0], next),
	}
}

// apart is the advice about a host source that the set does not compile, whose kernels
// are most likely its own.
const apart = "add the source to the set, if it has these kernels, or declare them in [[kernels.launch]]"

// compiled says whether a host source is one that device code here is made from.
func (s *set) compiled(file string) bool {
	for _, source := range s.sources {
		if source == file {
			return true
		}
	}
	return false
}

// launched finds the kernels that a launch may be of.
func (h *hostSide) launched(f host.File, l host.Launch) []place {
	var list []place
	if l.Form.BySource() {
		for _, n := range l.Kernels {
			list = append(list, h.bySource[n]...)
		}
		return list
	}
	for _, n := range l.Lookups {
		look := f.Lookups[n]
		modules, _, known := h.sources(f, look)
		for _, p := range h.byName[look.Name] {
			if slices.Contains(modules, p.module) || !known && len(modules) == 0 && !runTimeOnly(f, look) {
				list = append(list, p)
			}
		}
	}
	return list
}

// misfits holds the arguments against each kernel, and gives what is wrong with the
// first where none fits.
func (h *hostSide) misfits(l host.Launch, places []place) (misfit, bool) {
	if !l.ArgsKnown {
		return misfit{}, false // its source says so
	}
	var args []argument
	for _, a := range l.Args {
		arg := argument{text: a.Text, size: a.Size, pointer: a.Pointer, class: classOf(a.Type)}
		if a.Type != "" && a.Type != a.Text {
			arg.text += " (" + a.Type + ")"
		}
		args = append(args, arg)
	}
	var first misfit
	for _, p := range places {
		k := h.kernel(p)
		if !k.ParamsKnown {
			return misfit{"launch-unknown", count(len(args), "parameter"), "its parameters are not known", "the launch is not checked: a wrong count or size shifts pointers"}, true
		}
		if l.Form.Typed() && len(args) <= len(k.Params) { // the compiler converts, and fills in what may be left out
			return misfit{}, false
		}
		m, bad := holdArguments(args, k)
		if !bad {
			return misfit{}, false
		}
		if first.rule == "" {
			first = m
		}
	}
	return first, true
}
