package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// entry reads a kernel from behind the word .entry: its name, its parameters, what
// bounds it, and its body. One without a body is a declaration and passed over.
func (p *parser) entry(line int) {
	k := entry.Kernel{Name: p.next().text, Params: []entry.Param{}, ParamsKnown: true}
	t := p.next()
	if t.is("(") {
		if why := p.parameters(&k); why != "" {
			p.note(fmt.Sprintf("line %d: the parameters of kernel %s are not known: %s", line, k.Name, why))
			k.Params, k.ParamsKnown, k.ParamBytes = []entry.Param{}, false, nil
		}
		t = p.next()
	} else {
		none := 0
		k.ParamBytes = &none
	}
	for ; t.text != "" && !t.is("{") && !t.is(";"); t = p.next() {
		switch t.text {
		case ".maxntid":
			k.MaxThreads = p.triple()
		case ".reqntid":
			k.ReqThreads = p.triple()
		case ".reqnctapercluster":
			k.Cluster = p.triple()
		case ".explicitcluster":
			k.InClusters = true
		case ".maxclusterrank":
			if n, ok := number(p.next().text); ok {
				k.MaxCluster = n
			}
		case ".minnctapersm":
			if n, ok := number(p.next().text); ok {
				k.MinBlocks = n
			}
		}
	}
	if !t.is("{") {
		return
	}
	p.module.Kernels = append(p.module.Kernels, k)
	p.bodies = append(p.bodies, *p.body())
}

// triple reads one to three numbers with commas between; those left out are 1.
func (p *parser) triple() []int {
	block := []int{1, 1, 1}
	for i := range block {
		t := p.next()
		n, ok := number(t.text)
		if !ok {
			p.unread(t)
			return block
		}
		block[i] = n
		if t = p.next(); !t.is(",") {
			p.unread(t)
			return block
		}
	}
	return block
}

// parameters reads up to the closing parenthesis, and lays the parameters out as
// the driver does: each at the next multiple of its alignment.
func (p *parser) parameters(k *entry.Kernel) (why string) {
	end := 0
	for {
		one, last, found := p.parameter()
		if found {
			one.Ordinal = len(k.Params)
			if one.Size <= 0 || one.Align <= 0 || one.Size > maxBlock {
				why = fmt.Sprintf("parameter %d has no size that can be told", one.Ordinal)
			}
			one.Offset = (end + max(one.Align, 1) - 1) / max(one.Align, 1) * max(one.Align, 1)
			end = min(one.Offset+one.Size, maxBlock)
			if len(k.Params) == maxParams {
				return fmt.Sprintf("more than %d parameters", maxParams)
			}
			k.Params = append(k.Params, one)
		}
		if last {
			k.ParamBytes = &end
			return why
		}
	}
}

// maxParams is what a parameter block may have of one byte each, and no kernel has.
const maxParams = 1 << 15

// maxBlock is far above the 32764 bytes that a parameter block may have.
const maxBlock = 1 << 20

// sizes of the fundamental types, in bytes.
var sizes = map[string]int{
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
	"b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4,
	"b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16,
	"texref": 8, "samplerref": 8, "surfref": 8,
}

// parameter reads one, as ".param .align 4 .b8 NAME[60]" or
// ".param .u64 .ptr .global .align 16 NAME"; of the latter the alignment is that of
// what it points to.
func (p *parser) parameter() (one entry.Param, last, found bool) {
	pointer, count := false, 1
	dims := ""
	for {
		t := p.next()
		found = found || t.is(".param")
		switch {
		case t.text == "" || t.is(")"):
			return finish(one, count, dims), true, found
		case t.is(","):
			return finish(one, count, dims), false, found
		case t.is(".ptr"):
			pointer = true
		case t.is(".align"):
			if n, ok := number(p.next().text); ok && !pointer {
				one.Align = n
			}
		case t.is("["):
			n, ok := number(p.next().text)
			if !ok || n > maxBlock || count > maxBlock {
				n = 0
			}
			count, dims = count*n, dims+"["+strconv.Itoa(n)+"]"
		case strings.HasPrefix(t.text, ".") && one.Type == "":
			if size, ok := sizes[t.text[1:]]; ok {
				one.Type, one.Size = t.text[1:], size
			}
		}
	}
}

// finish multiplies an array out.
func finish(one entry.Param, count int, dims string) entry.Param {
	if one.Align == 0 {
		one.Align = one.Size
	}
	one.Size, one.Type = one.Size*count, one.Type+dims
	return one
}

// number is an integer of PTX, decimal, hexadecimal or octal, with or without U.
func number(s string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimRight(s, "U"), 0, 32)
	return int(n), err == nil && n >= 0
}
