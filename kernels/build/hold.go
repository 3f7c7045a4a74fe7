package build

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// holds is what is not as it was of all that a compile read, a line for each thing;
// nothing is if the compile holds.
func (t *tree) holds(e entry) (missing []string) {
	for _, in := range e.files {
		f, err := t.file(in.path, true)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, in.path+" is gone")
		case err != nil:
			missing = append(missing, err.Error())
		case f.Sum != in.sum:
			missing = append(missing, in.path+" changed")
		default:
			if v := t.vector(in.path, f); v.tokens != in.vector {
				missing = append(missing, t.moved(in, f, v))
			}
		}
	}
	for _, a := range e.made {
		t.mu.Lock()
		token, _ := t.token(a.mention, a.own)
		t.mu.Unlock()
		if token != a.token {
			missing = append(missing, fmt.Sprintf("%s is now %s", a.mention.name, t.told(a.mention, a.own, token, a.token)))
		}
	}
	return missing
}

// moved says which name of a file leads elsewhere than it did.
func (t *tree) moved(in input, f *file, v vector) string {
	was, is := strings.Split(in.vector, " "), strings.Split(v.tokens, " ")
	i := 0
	for m := range decode(f.Scanned.Mentions) {
		if i < len(was) && i < len(is) && was[i] != is[i] {
			return fmt.Sprintf("%s, asked for in %s, is now %s", m.name, in.path, t.told(m, path.Dir(in.path), is[i], was[i]))
		}
		i++
	}
	return "a header asked for in " + in.path + " is found elsewhere"
}

// told says in words where a token leads, and where it led.
func (t *tree) told(m mention, own, is, was string) string {
	words := func(token string) string {
		if all := t.places(m, own, token); len(all) > 0 {
			return strings.Join(all, " and ")
		}
		return "nowhere"
	}
	return words(is) + ", and was " + words(was)
}
