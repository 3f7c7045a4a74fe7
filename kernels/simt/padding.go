package simt

import (
	"debug/dwarf"
	"fmt"
	"strings"
)

// system says whether a type is of the system's headers.
func system(e *dwarf.Entry, files []*dwarf.LineFile) bool {
	i, ok := e.Val(dwarf.AttrDeclFile).(int64)
	return ok && int(i) < len(files) && files[i] != nil && strings.HasPrefix(files[i].Name, "/usr/")
}

// padding notes the bytes of a structure, or an array of it, that have no member.
func (n *notes) padding(offset dwarf.Offset) {
	t, err := n.data.Type(offset)
	if err != nil || t.Size() <= 4 || t.Size() > 4<<10 {
		return
	}
	used := make([]bool, t.Size())
	if !cover(used, 0, t) {
		return
	}
	for from := 0; from < len(used); from++ {
		to := from
		for to < len(used) && !used[to] {
			to++
		}
		if to > from {
			n.lines[fmt.Sprintf("padding %d %d %d\n", len(used), from, to)] = true
			from = to
		}
	}
}

// cover marks the bytes of a type that have a value. It is false where that is not known.
func cover(used []bool, at int64, t dwarf.Type) bool {
	switch t := t.(type) {
	case *dwarf.TypedefType:
		return cover(used, at, t.Type)
	case *dwarf.QualType:
		return cover(used, at, t.Type)
	case *dwarf.ArrayType:
		for i := range t.Count {
			if !cover(used, at+i*t.Type.Size(), t.Type) {
				return false
			}
		}
		return true
	case *dwarf.StructType:
		if t.Incomplete || len(t.Field) == 0 { // it may have what it is derived from
			return false
		}
		for _, f := range t.Field {
			if !cover(used, at+f.ByteOffset, f.Type) {
				return false
			}
		}
		return true
	}
	for i := at; i < at+t.Size() && i < int64(len(used)); i++ {
		if i >= 0 {
			used[i] = true
		}
	}
	return true
}
