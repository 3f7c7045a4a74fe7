package build

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// vector says, for each mention of a file, where it would be found: a token each,
// separated by spaces. "." is beside the file, "A" in the chain's first directory,
// "B" in its second, "/" at an absolute path, "-" nowhere. Of include_next it
// lists every place. Two equal vectors mean that the same names lead to the same
// places.
type vector struct {
	tokens string
	newest int64 // last change of the newest file that it found, ns; not of all: see [tree.exists]
	of     *file
	at     time.Time
}

// existence is what is known of a path: whether a file is there, and since when.
type existence struct {
	there   bool
	changed int64
}

// vector gives that of a file, as the directories were when they were first looked
// at.
func (t *tree) vector(name string, f *file) vector {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok := t.vectors[name]; ok && v.of.Sum == f.Sum {
		return v
	}
	v := vector{of: f, at: time.Now()}
	if f.Scanned != nil {
		var b strings.Builder
		for m := range decode(f.Scanned.Mentions) {
			token, newest := t.token(m, path.Dir(name))
			b.WriteString(token)
			b.WriteByte(' ')
			v.newest = max(v.newest, newest)
		}
		v.tokens = strings.TrimSuffix(b.String(), " ")
	}
	t.vectors[name] = v
	return v
}

// token is that of one mention in a file of the directory own.
func (t *tree) token(m mention, own string) (token string, newest int64) {
	if strings.HasPrefix(m.name, "/") {
		if e := t.stat(m.name); e.there {
			return "/", e.changed
		}
		return "-", 0
	}
	dirs := t.chain.angle
	first := 'A' + rune(len(t.chain.quote))
	if m.quoted {
		if e := t.exists(own, m.name); e.there {
			if token, newest = ".", e.changed; !m.next {
				return token, newest
			}
		}
		dirs, first = t.chain.dirs(), 'A'
	}
	for i, dir := range dirs {
		e := t.exists(dir, m.name)
		if !e.there {
			continue
		}
		token, newest = token+string(first+rune(i)), max(newest, e.changed)
		if !m.next {
			break
		}
	}
	if token == "" {
		token = "-"
	}
	return token, newest
}

// places turns a token back into paths.
func (t *tree) places(m mention, own, token string) []string {
	var all []string
	dirs := t.chain.dirs()
	for _, r := range token {
		switch {
		case r == '/':
			all = append(all, m.name)
		case r == '.':
			all = append(all, path.Join(own, m.name))
		case r >= 'A' && int(r-'A') < len(dirs):
			all = append(all, dirs[r-'A']+"/"+m.name)
		}
	}
	return all
}

// listing is what a directory holds; opaque is one that may not be read.
type listing struct {
	names  map[string]fs.FileMode
	opaque bool
}

// exists is whether a file of that name is in the directory. The listing answers
// for most, and says nothing of when: only what needs a stat has a time.
func (t *tree) exists(dir, name string) existence {
	l := t.list(dir)
	head, _, nested := strings.Cut(name, "/")
	mode, ok := l.names[head]
	switch {
	case l.opaque || head == ".." || head == "." || head == "":
	case !ok:
		return existence{}
	case !nested && mode.IsRegular():
		return existence{there: true}
	case !nested && mode.IsDir():
		return existence{}
	}
	return t.stat(dir + "/" + name)
}

func (t *tree) stat(name string) existence {
	if e, ok := t.stats[name]; ok {
		return e
	}
	var e existence
	if info, err := os.Stat(t.absolute(name)); err == nil && !info.IsDir() {
		e = existence{true, stampOf(info).Changed}
	}
	t.stats[name] = e
	return e
}

// list reads a directory once in a build; one that is not there is empty.
func (t *tree) list(dir string) *listing {
	if l := t.dirs[dir]; l != nil {
		return l
	}
	l := &listing{names: map[string]fs.FileMode{}}
	t.dirs[dir] = l
	d, err := os.Open(t.absolute(dir))
	if err != nil {
		l.opaque = os.IsPermission(err)
		return l
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	l.opaque = err != nil
	for _, e := range entries {
		l.names[e.Name()] = e.Type()
	}
	return l
}
