package check

import (
	"fmt"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// argument is one that a launch passes, as far as it is known.
type argument struct {
	text    string // how to call it
	size    int    // bytes; 0: not known
	class   class
	pointer bool
}

// class is how the bits of a number are read.
type class int

const (
	noClass class = iota
	integers
	floats
)

// sizes are the types that a declaration may name, in bytes.
var sizes = map[string]int{
	"bool": 1, "u8": 1, "i8": 1, "s8": 1, "char": 1, "u16": 2, "i16": 2, "s16": 2, "short": 2, "f16": 2, "bf16": 2, "half": 2,
	"u32": 4, "i32": 4, "s32": 4, "int": 4, "unsigned": 4, "uint": 4, "f32": 4, "float": 4,
	"u64": 8, "i64": 8, "s64": 8, "long": 8, "usize": 8, "isize": 8, "size_t": 8, "f64": 8, "double": 8,
	"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8,
}

// classOf tells floats from integers; of what is neither, nothing is said.
func classOf(typ string) class {
	switch typ {
	case "f32", "f64", "float", "double", "float32", "float64":
		return floats
	case "u32", "i32", "s32", "u64", "i64", "s64", "int", "unsigned", "unsigned int", "uint", "usize", "isize", "size_t", "int32", "uint32", "int64", "uint64",
		"int32_t", "uint32_t", "int64_t", "uint64_t", "long":
		return integers
	}
	return noClass
}

// parseArgument reads an argument as it is declared: a type, "pointer" or one with a
// star, or a size: "60", "60B".
func parseArgument(text string) (argument, bool) {
	t := strings.TrimSpace(text)
	switch {
	case t == "pointer" || t == "ptr" || strings.Contains(t, "*"):
		return argument{text: t, size: 8, pointer: true}, true
	case sizes[t] > 0:
		return argument{text: t, size: sizes[t], class: classOf(t)}, true
	}
	if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(t, "B"))); err == nil && n > 0 {
		return argument{text: t, size: n}, true
	}
	return argument{}, false
}

// misfit is why arguments do not fit a kernel.
type misfit struct{ rule, expected, found, harm string }

// holdArguments holds arguments against the parameters of a kernel.
func holdArguments(args []argument, k *entry.Kernel) (misfit, bool) {
	if len(args) != len(k.Params) {
		harm := "the driver reads the addresses of more arguments than there are: a crash, or whatever lies there"
		if len(args) > len(k.Params) {
			harm = "the last are never read, and where one too many stands before others these get wrong values: shifted pointers, an illegal address"
		}
		return misfit{"launch-count", count(len(k.Params), "parameter") + signature(k), count(len(args), "argument"), harm}, true
	}
	for i, a := range args {
		if m, bad := holdArgument(i, a, k.Params[i]); bad {
			return m, true
		}
	}
	return misfit{}, false
}

func holdArgument(i int, a argument, p entry.Param) (misfit, bool) {
	of := classOf(p.Type)
	switch {
	case a.size > 0 && a.size != p.Size:
		harm := "the driver copies the parameter's " + strconv.Itoa(p.Size) + " bytes from where the argument is: "
		if a.size < p.Size {
			harm += "what lies behind it comes with it"
		} else {
			harm += "the rest of it is lost, and fields are read where others are"
		}
		return misfit{"launch-size", ordinal(i, p), fmt.Sprintf("%s of %d bytes", a.text, a.size), harm}, true
	case a.pointer && of == floats:
		return misfit{"launch-type", ordinal(i, p), a.text + ", a pointer", "the kernel reads an address as a number"}, true
	case a.class != noClass && of != noClass && a.class != of && (of == floats || a.class == floats):
		return misfit{"launch-type", ordinal(i, p), a.text, "the kernel reads the bits of a float as an integer, or the other way round"}, true
	}
	return misfit{}, false
}

func ordinal(i int, p entry.Param) string {
	typ := ""
	if p.Type != "" {
		typ = ", " + p.Type
	}
	return fmt.Sprintf("parameter %d of %d bytes%s", i, p.Size, typ)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// signature shows the parameters of a kernel.
func signature(k *entry.Kernel) string {
	if len(k.Params) == 0 {
		return ""
	}
	return " (" + paramList(k) + ")"
}

func paramList(k *entry.Kernel) string {
	var words []string
	for _, p := range k.Params {
		w := p.Type
		if w == "" {
			w = strconv.Itoa(p.Size) + "B"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}
