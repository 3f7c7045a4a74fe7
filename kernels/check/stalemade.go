package check

import (
	"slices"
	"strings"
)

// alike says whether one compiler made both, with the same options as far as they say,
// or with others that changed nothing.
func (f Fresh) alike() bool {
	c, b := f.Committed, f.Built
	return f.sameTool() && (f.sameCode() || c.Flags == "" || b.Flags == "" || said(c.Flags) == said(b.Flags)) && c.Arch == b.Arch
}

// sameTool says whether the same release made both. One that does not say which made
// it, as PTX without its first lines, was made by another.
func (f Fresh) sameTool() bool {
	c, b := f.Committed, f.Built
	return c.Toolkit == b.Toolkit && (c.Tool == b.Tool || c.Toolkit != "" && (c.Tool == "" || b.Tool == ""))
}

// tools says what of the making differs: other options are a finding, and another
// compiler a note, unless they made the same.
func (f Fresh) tools() []Finding {
	var all []Finding
	c, b := f.Committed, f.Built
	if !f.sameTool() && !f.sameCode() {
		note := f.finding("stale-toolkit", nil, maker(b.Toolkit, b.Tool)+", with which the set is built", maker(c.Toolkit, c.Tool),
			"code of two compilers cannot be compared: whether this is older than its source shows in its entries, parameters, launch bounds and shared memory alone")
		note.Note = true
		if c.Toolkit != "" && c.Toolkit != b.Toolkit {
			note.Next = `say nvcc = "` + c.Toolkit + `" in the set, for a compiler that it can be held against, or ` + note.Next
		}
		all = append(all, note)
	}
	if c.Flags != "" && b.Flags != "" && said(c.Flags) != said(b.Flags) && f.sameTool() && !f.sameCode() {
		all = append(all, f.finding("stale-flags", nil, b.Flags, c.Flags, "it was made with other options than the set says: fast math, debug code or another architecture's tuning may be in it; its code is not compared"))
	}
	if c.Arch != b.Arch {
		all = append(all, f.finding("stale-flags", nil, b.Arch, c.Arch, "it is for another architecture than the set says"))
	}
	return all
}

// sameCode says whether all that runs is known to be the same.
func (f Fresh) sameCode() bool {
	c, b := f.Committed, f.Built
	if c.DataHash == "" || c.DataHash != b.DataHash || c.Arch != b.Arch || len(c.Kernels) != len(b.Kernels) {
		return false
	}
	for i := range b.Kernels {
		x := named(c, b.Kernels[i].Name)
		if x == nil || x.CodeHash == "" || x.CodeHash != b.Kernels[i].CodeHash {
			return false
		}
	}
	return len(b.Kernels) > 0
}

func maker(toolkit, tool string) string {
	switch {
	case toolkit == "" && tool == "":
		return "a compiler that is not told"
	case toolkit == "":
		return tool
	case tool == "":
		return "CUDA " + toolkit
	}
	return "CUDA " + toolkit + ", " + tool
}

// silent are options that change nothing that runs: they have the compiler talk, or
// write down for debuggers where code comes from.
var silent = []string{"-v", "--verbose", "-lineinfo", "--generate-line-info", "-generate-line-info"}

// said are options without those that change nothing, and without the names of files: what
// was read and what was written, which with debugging information are those of nvcc's own.
func said(flags string) string {
	var list []string
	words := strings.Fields(flags)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-o" || w == "--output-file":
			i++
		case slices.Contains(silent, w), strings.Contains(w, "tmpxft_"), strings.HasSuffix(strings.Trim(w, `"';`), ".ptx"):
		default:
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}
