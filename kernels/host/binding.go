package host

// binding is a name and what it stands for, from a token to another.
type binding struct {
	from, to int
	value    span // empty where it is not known
	typ      span // as declared
	element  int  // of a tuple, from 0; -1: all of it
	param    *function
	index    int  // of the parameter
	constant bool // that holds in the whole file
}

// function is a function of the file.
type function struct {
	name   string
	params []param
	open   int // its parenthesis
	body   span
	method bool // its first parameter is the receiver
}

type param struct {
	name string
	typ  span
}

// structure is a struct whose layout is that of C.
type structure struct {
	fields []param
	align  int // of a declaration
	packed bool
	known  bool // the layout can be told
	count  int  // how many of that name there are
}

// bind makes a name known.
func (s *source) bind(n string, b binding) {
	if n == "" || n == "_" {
		return
	}
	s.bound[n] = append(s.bound[n], b)
}

// lookback is how many bindings of one name are looked through for the one that holds.
const lookback = 64

// find gives what a name is bound to at a token: of those that hold there, what was
// bound last. Constants of a name are given all.
func (s *source) find(n string, at int) []binding {
	list := s.bound[n]
	var best binding
	var constants []binding
	best.from = -1
	for i, seen := len(list)-1, 0; i >= 0 && seen < lookback && s.step(); i-- {
		b := list[i]
		switch {
		case b.constant:
			constants = append(constants, b)
		case b.from <= at && at < b.to && b.from > best.from:
			best = b
		case b.from <= at:
			seen++
		}
	}
	if best.from >= 0 {
		return []binding{best}
	}
	return constants
}
