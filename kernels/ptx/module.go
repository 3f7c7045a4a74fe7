package ptx

import (
	"errors"
	"fmt"
	"strings"

	"gpuci/kernels/entry"
)

// ErrFormat is what an error of Parse wraps when the text is no PTX at all.
var ErrFormat = errors.New("not PTX")

// Is reports whether data begins as PTX does: with the directive .version, after
// comments and space.
func Is(data []byte) bool {
	const far = 64 << 10 // a comment before .version may be long, but not a whole file
	l := lexer{rest: string(data[:min(len(data), far)]), line: 1}
	return l.next().is(".version") && l.next().word()
}

// parser reads one text.
type parser struct {
	lexer
	module    entry.Module
	bodies    []body           // of the kernels, in the module's order
	functions map[string]*body // nil: declared
	taken     map[string]bool  // functions whose addresses are kept
	pointed   []string         // the same, in the order of the text
	open      bool             // it has functions for other files, or from them
	swaps     int              // that were looked into
	steps     int              // functions that may still be looked at, over all kernels
}

// Parse reads a PTX module. What it does not understand is passed over, and stands
// in Unread where something may be missing for it.
func Parse(data []byte) (entry.Module, error) { return parse(data, true) }

// Brief is Parse without the hashes that kernels are compared by, for which the text is
// gone through once more.
func Brief(data []byte) (entry.Module, error) { return parse(data, false) }

func parse(data []byte, hashes bool) (entry.Module, error) {
	if !Is(data) {
		return entry.Module{Kind: "ptx"}, ErrFormat
	}
	text := strings.TrimRight(string(data), "\x00") // as it is embedded, with a NUL behind it
	p := &parser{lexer: lexer{rest: text, line: 1}, functions: map[string]*body{}, taken: map[string]bool{}, steps: maxSteps}
	p.module.Kind, p.module.Tool = "ptx", tool(text)
	most := strings.Count(text, ".entry") // so that lists of them need not grow
	p.module.Kernels, p.bodies = make([]entry.Kernel, 0, most), make([]body, 0, most)
	before := ""
	for t := p.next(); t.text != ""; t = p.next() {
		p.directive(t, before)
		before = t.text
	}
	if p.module.Arch == "" {
		return p.module, errors.New("read PTX: it has no .target")
	}
	p.resolve()
	if hashes {
		p.hashes(text)
	}
	return p.module, nil
}

// directive reads what stands outside of bodies, where before is the word before it.
func (p *parser) directive(t token, before string) {
	switch t.text {
	case ".version":
		if p.module.Arch != "" {
			p.note(fmt.Sprintf("line %d: a second module begins: its kernels are told with the first one's", t.line))
		}
		p.next()
	case ".target":
		if arch := p.next(); p.module.Arch == "" {
			p.module.Arch = arch.text
		}
	case ".entry":
		p.entry(t.line)
	case ".func":
		if before != ".visible" && before != ".weak" && before != ".extern" {
			before = ""
		}
		p.function(before)
	case "{": // debug sections and initialisers
		p.skipBraces()
	default:
		p.mention(t)
	}
}

func (p *parser) note(line string) { p.module.Unread = append(p.module.Unread, line) }

// skipBraces passes over what stands up to the brace that closes one just read.
func (p *parser) skipBraces() {
	for depth := 1; depth > 0; {
		switch t := p.next(); t.text {
		case "":
			return
		case "{":
			depth++
		case "}":
			depth--
		default:
			p.mention(t)
		}
	}
}

// tool is the compiler, as the comments before .version name it: the last word of
// "Cuda compilation tools, release 13.0, V13.0.88", and the build.
func tool(text string) string {
	head, _, _ := strings.Cut(text, ".version")
	var release, build string
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
		if strings.HasPrefix(line, "Cuda compilation tools, ") {
			release = line[strings.LastIndexByte(line, ' ')+1:]
		}
		if b, ok := strings.CutPrefix(line, "Compiler Build ID: "); ok {
			build = strings.TrimSpace(b)
		}
	}
	switch {
	case release != "" && build != "":
		return "nvcc " + release + " (" + build + ")"
	case release != "":
		return "nvcc " + release
	}
	return ""
}
