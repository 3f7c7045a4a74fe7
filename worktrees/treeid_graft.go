package worktrees

import "strings"

// graft puts leaves into a tree that is there, and names the tree that comes of
// it. Only the directories on the way are read and hashed.
type graft struct {
	trees     func(id string) (map[string]node, error)
	width     int    // of ids, in hex
	differing []Leaf // those that the tree does not have already
	open      bool   // some leaf has no place in a git tree
}

// onto returns the new tree's id, "" when one of the leaves cannot be in it.
func (g *graft) onto(base string, leaves []Leaf) (string, error) {
	id, err := g.directory(base, 0, leaves)
	if err != nil || g.open {
		return "", err
	}
	if id == "" { // nothing left: git has a tree for that too
		id = objectID(g.width, "tree", nil)
	}
	return id, nil
}

// directory does one directory, whose path is the first skip bytes of its
// leaves'. base is "" where the tree has none. The id is "" when it is empty,
// since git keeps no empty directories.
func (g *graft) directory(base string, skip int, leaves []Leaf) (string, error) {
	nodes := make(map[string]node)
	if base != "" {
		var err error
		if nodes, err = g.trees(base); err != nil {
			return "", err
		}
	}
	here, below := split(leaves, skip)
	for name, leaf := range here {
		if !nodes[name].is(leaf) {
			g.differing = append(g.differing, leaf)
		}
		if nodes[name].mode != directory {
			delete(nodes, name) // to make room for a directory of that name
		}
	}
	for name, leaves := range below {
		if err := g.descend(nodes, name, skip, leaves); err != nil {
			return "", err
		}
	}
	for name, leaf := range here {
		if g.open = g.open || !leaf.storable(g.width); !leaf.Gone() {
			nodes[name] = node{leaf.Mode, leaf.ID}
		}
	}
	if len(nodes) == 0 || g.open {
		return "", nil
	}
	data, err := renderTree(nodes)
	return objectID(g.width, "tree", data), err
}

// descend does the directory of a name.
func (g *graft) descend(nodes map[string]node, name string, skip int, leaves []Leaf) error {
	base := ""
	if nodes[name].mode == directory {
		base = nodes[name].id
	}
	id, err := g.directory(base, skip+len(name)+1, leaves)
	switch {
	case err != nil:
		return err
	case id != "":
		nodes[name] = node{directory, id}
	case base != "":
		delete(nodes, name)
	}
	return nil
}

// split parts leaves into those of a directory itself and those further down,
// by name.
func split(leaves []Leaf, skip int) (here map[string]Leaf, below map[string][]Leaf) {
	here, below = make(map[string]Leaf), make(map[string][]Leaf)
	for _, leaf := range leaves {
		name, _, nested := strings.Cut(leaf.Path[skip:], "/")
		if nested {
			below[name] = append(below[name], leaf)
		} else {
			here[name] = leaf
		}
	}
	return here, below
}

// is says whether a tree has a leaf already. A directory is no leaf.
func (n node) is(l Leaf) bool {
	if n.mode == "" || n.mode == directory {
		return l.Gone()
	}
	return n == node{l.Mode, l.ID}
}

// storable says whether git has a place for a leaf.
func (l Leaf) storable(width int) bool {
	switch l.Mode {
	case absent:
		return true
	case regular, executable, symlink, gitlink:
		return len(l.ID) == width
	}
	return false
}
