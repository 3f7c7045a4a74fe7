package reaper

import (
	"fmt"
	"slices"
)

// byCwd is told by the innermost lane that the working directory is in. One
// that was removed has nobody but those whose directory went with it: whatever
// stands in its place now is nobody's, even inside another lane. Two lanes with
// one root, as one that was removed and the one that came after it, tell of a
// deleted directory that it is nobody's.
func (o *owners) byCwd(p Process) (in Lane, own owner, told bool) {
	if !p.Cwd.Known() {
		return Lane{}, owner{}, false
	}
	var here []Lane // with the longest root
	for _, l := range o.lanes {
		if !inside(p.Cwd.Path, l.Root) {
			continue
		}
		if n := len(trim(l.Root)); len(here) == 0 || n > len(trim(here[0].Root)) {
			here = here[:0]
		} else if n < len(trim(here[0].Root)) {
			continue
		}
		here = append(here, l)
	}
	if len(here) == 0 {
		return Lane{}, owner{}, false
	}
	if !p.Cwd.Deleted {
		gone := here[0].Name
		if here = slices.DeleteFunc(here, func(l Lane) bool { return l.Removed }); len(here) == 0 {
			return Lane{}, owner{against: fmt.Sprintf("its directory stands where lane %s was", gone)}, true
		}
	}
	if len(here) > 1 {
		return Lane{}, owner{}, true
	}
	return here[0], owner{Lane: here[0].Name, Evidence: byCwd}, true
}

// foreign says that a working directory is in a work tree that is none of the
// lanes, "" when it is not: a clone inside a lane, a lane that was moved and
// that git does not find, a repository that builds into the same directory. It
// outranks all that could make the process a lane's.
func (o *owners) foreign(p Process, l Lane) string {
	switch dir, known := o.facts.Checkout(p.PID, l); {
	case !known:
		return "whether its directory is another repository's is not known"
	case dir != "":
		return "its directory is in " + dir + ", which is no lane of this repository"
	}
	return ""
}
