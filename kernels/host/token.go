package host

import (
	"slices"
	"strings"
)

type language int

const (
	rust language = iota
	cpp
	python
)

// words are those without one of which a source of the language does nothing here.
var words = map[language][]string{
	rust:   {"get_func", "load_func", "get_or_load", "launch", "include_bytes", "include_str", "load_module", "load_ptx", "cuModule", "Module::from_"},
	cpp:    {"<<<", "LaunchKernel", "LaunchCooperativeKernel", "cuModule", "LibraryLoad", "GetKernel"},
	python: {"get_function", "get_kernel", "RawKernel", "RawModule", "SourceModule", "module_from_", "cuModule", "cuLaunchKernel", "from_cubin", "from_ptx", "]("}, // the last: fns["f"](…), of another file
}

// about are those without one of which it is about something else: LLVM's modules have
// a get_function too, and threads a launch. A source in Python may be handed its module,
// and need say nothing of whose it is.
var about = map[language][]string{
	rust: {"cuda", "Cuda", "CUDA", "cust", "cubin", "CUBIN", "ptx", "Ptx", "PTX", "cuLaunchKernel", "launch_builder", "load_function", "LaunchConfig", "get_or_load_func"},
}

func (l language) mentions(text string) bool {
	any := func(list []string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(text, w) })
	}
	return any(words[l]) && (about[l] == nil || any(about[l]))
}

type kind uint8

const (
	name    kind = iota
	number       // with its suffix
	str          // its value is in text
	fstring      // a string that is put together at run time
	char
	punct
	newline // of Python, where a statement ends
)

type flags uint8

const (
	inTest flags = 1 << iota
	isOff
	inMacro // of a macro's definition
)

type token struct {
	kind  kind
	flags flags
	line  int
	at    int // bytes from the start of the text
	end   int
	text  string
}

func (t token) is(p string) bool { return t.kind == punct && t.text == p }

func (t token) word(w string) bool { return t.kind == name && t.text == w }

// span is a stretch of tokens, to being the first that is not of it.
type span struct{ from, to int }

func (x span) empty() bool { return x.from >= x.to }

// pairs gives for each bracket the one that matches, and -1 where none does. Braces
// weigh more than the others: what is open inside a brace ends with it.
func pairs(toks []token) []int {
	pair := make([]int, len(toks))
	var open []int
	braces := 0
	for i, t := range toks {
		pair[i] = -1
		if t.kind != punct {
			continue
		}
		switch t.text {
		case "(", "[":
			open = append(open, i)
		case "{":
			open = append(open, i)
			braces++
		case ")", "]", "}":
			if t.text == "}" && braces > 0 {
				for toks[open[len(open)-1]].text != "{" {
					open = open[:len(open)-1]
				}
				braces--
			}
			if n := len(open); n > 0 && toks[open[n-1]].text == opening[t.text] {
				pair[i], pair[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	return pair
}

var opening = map[string]string{")": "(", "]": "[", "}": "{"}
