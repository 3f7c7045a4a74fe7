package simt

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// facts are the lines that the runner wants of the kernels' debug information, in the
// form that facts.h says.
func facts(path string) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("read kernels: %w", err)
	}
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		return "", fmt.Errorf("read debug information of kernels: %w", err)
	}
	n := notes{data: data, lines: map[string]bool{}, functions: map[dwarf.Offset]*function{}}
	if err := n.walk(); err != nil {
		return "", fmt.Errorf("read debug information of kernels: %w", err)
	}
	kernels := map[string]int64{}
	for _, f := range n.functions {
		if f.name == "" && len(f.inlined) > 0 && n.functions[f.inlined[0]] != nil {
			f.name = n.functions[f.inlined[0]].name
		}
		kernels[f.name] = max(kernels[f.name], n.static(f, map[*function]bool{}))
	}
	for name, bytes := range kernels {
		if bytes > 0 && name != "" {
			n.lines[fmt.Sprintf("static %s %d\n", name, bytes)] = true
		}
	}
	var all []string
	for line := range n.lines {
		all = append(all, line)
	}
	slices.Sort(all)
	return strings.Join(all, ""), nil
}

type notes struct {
	data      *dwarf.Data
	lines     map[string]bool
	functions map[dwarf.Offset]*function
}

// function is a function's own thread local variables, and what was put into it.
type function struct {
	name    string
	bytes   int64
	inlined []dwarf.Offset
}

// static is how many bytes of __shared__ a function has with all that was put into it.
func (n *notes) static(f *function, seen map[*function]bool) int64 {
	if f == nil || seen[f] {
		return 0
	}
	seen[f] = true
	bytes := f.bytes
	for _, other := range f.inlined {
		bytes += n.static(n.functions[other], seen)
	}
	return bytes
}

// walk reads all entries: the functions, and the structures that have padding.
func (n *notes) walk() error {
	r := n.data.Reader()
	var in []*function // by depth
	var files []*dwarf.LineFile
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			if len(in) > 0 {
				in = in[:len(in)-1]
			}
			continue
		}
		var now *function
		if len(in) > 0 {
			now = in[len(in)-1]
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			files = nil
			if lines, err := n.data.LineReader(e); err == nil && lines != nil {
				files = lines.Files()
			}
		case dwarf.TagSubprogram:
			now = n.function(e)
		case dwarf.TagInlinedSubroutine:
			if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && now != nil {
				now.inlined = append(now.inlined, origin)
			}
		case dwarf.TagVariable:
			if now != nil && threadLocal(e) {
				now.bytes += n.size(e)
			}
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagArrayType:
			if !system(e, files) {
				n.padding(e.Offset)
			}
		}
		if e.Children {
			in = append(in, now)
		}
	}
}

// function is that of an entry; one that was written out elsewhere points to the entry
// that has its name and variables.
func (n *notes) function(e *dwarf.Entry) *function {
	f := &function{}
	f.name, _ = e.Val(dwarf.AttrName).(string)
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		f.inlined = append(f.inlined, origin) // the first, which may come later
	}
	n.functions[e.Offset] = f
	return f
}

// threadLocal says whether a variable's place ends with DW_OP_form_tls_address (DWARF 4,
// 2.5.1.3) or what GCC had before it.
func threadLocal(e *dwarf.Entry) bool {
	at, _ := e.Val(dwarf.AttrLocation).([]byte)
	return len(at) > 0 && (at[len(at)-1] == 0x9b || at[len(at)-1] == 0xe0)
}

func (n *notes) size(e *dwarf.Entry) int64 {
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := n.data.Reader()
		r.Seek(origin)
		if other, err := r.Next(); err == nil && other != nil {
			e = other
		}
	}
	offset, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
	t, err := n.data.Type(offset)
	if err != nil {
		return 0
	}
	return t.Size()
}
