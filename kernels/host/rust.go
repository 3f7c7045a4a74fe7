package host

import "strings"

// readRust reads a source in Rust: what is compiled when, what names stand for, and
// then modules, lookups and launches, each of which needs the one before.
func (s *source) readRust() {
	s.rustFlags()
	s.rustItems()
	s.rustCalls()
	s.rustModules()
	s.rustLookups()
	s.rustLaunches()
}

// rustFlags marks what is compiled for tests only, what never is, and macros.
func (s *source) rustFlags() {
	if testPath(s.file.Path) {
		s.flag(span{0, len(s.toks)}, inTest)
	}
	for i := range s.toks {
		t := s.toks[i]
		switch {
		case t.is("#") && s.tok(i+1).is("["):
			if f := s.attribute(s.inside(i + 1)); f != 0 && s.toks[i].flags&f == 0 {
				s.flag(s.item(i), f)
			}
		case t.is("#") && s.tok(i+1).is("!") && s.tok(i+2).is("["):
			s.flag(span{0, len(s.toks)}, s.attribute(s.inside(i+2)))
		case t.word("macro_rules") && s.tok(i+1).is("!") && t.flags&inMacro == 0:
			if x := s.inside(i + 3); !x.empty() {
				s.flag(x, inMacro)
				s.rustMacro(x, s.tok(i+2).text)
			}
		case t.word("if") && s.tok(i+1).word("false") && s.tok(i+2).is("{") && t.flags&isOff == 0:
			s.flag(s.inside(i+2), isOff)
		}
	}
}

// flag marks a span; an empty mark marks nothing.
func (s *source) flag(x span, f flags) {
	for i := x.from; f != 0 && i < x.to && s.step(); i++ {
		s.toks[i].flags |= f
	}
}

// attribute says what an attribute does to its item.
func (s *source) attribute(x span) flags {
	first := s.tok(x.from)
	if last := s.tok(x.to - 1); first.kind == name && last.word("test") {
		return inTest // #[test], #[tokio::test]
	}
	if !first.word("cfg") {
		return 0
	}
	for i := x.from + 1; i < x.to && s.step(); i++ {
		switch t := s.toks[i]; {
		case t.word("not"):
			return 0 // what is left out then is more than can be told
		case t.word("test"):
			return inTest
		case t.word("FALSE"), t.word("false"), t.word("any") && s.tok(i+1).is("(") && s.inside(i+1).empty():
			return isOff
		}
	}
	return 0
}

// itemWords begin items, whose generics may have commas.
const itemWords = " pub fn mod impl struct enum use const static unsafe extern async let type trait macro_rules union "

// item is what the attribute at i belongs to.
func (s *source) item(i int) span {
	j := i
	for s.tok(j).is("#") && s.tok(j+1).is("[") && s.pair[j+1] > j {
		j = s.pair[j+1] + 1
	}
	whole := strings.Contains(itemWords, " "+s.tok(j).text+" ")
	for k := j; k < len(s.toks); k = s.after(k) {
		switch t := s.toks[k]; {
		case t.is("{"):
			return span{i, max(s.pair[k], k) + 1}
		case t.is(";"), t.is(",") && !whole, t.is("}"):
			return span{i, k + 1}
		}
	}
	return span{i, len(s.toks)}
}

// rustMacro says what a macro's body would have done.
func (s *source) rustMacro(x span, macro string) {
	for i := x.from; i < x.to && s.step(); i++ {
		t := s.toks[i]
		if !(t.kind == name && s.tok(i+1).is("(") || t.kind == name && s.tok(i+1).is("!")) {
			continue
		}
		switch t.text {
		case "launch_builder", "launch", "launch_cooperative", "get_func", "load_function", "get_function", "get_or_load_func":
			s.unread(i, "%s in the macro %s: macros are not expanded", t.text, macro)
		case "include_bytes", "include_str":
			if deviceWords(s.show(s.inside(i + 2))) {
				s.unread(i, "%s in the macro %s: macros are not expanded", t.text, macro)
			}
		}
	}
}

// deviceWords says whether a text talks of device code.
func deviceWords(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "cubin") || strings.Contains(text, "ptx") || strings.Contains(text, "fatbin")
}
