package buildlock

import (
	"errors"
	"fmt"
	"strings"
)

// Lock names what is queued for.
type Lock string

const (
	// Link is held by one linking step, in the number of slots the machine has.
	Link Lock = "link"
	// Build is held by a whole build (serialize = "build") or a script.
	Build Lock = "build"
)

// maxName bounds the names of named locks; they are file names.
const maxName = 64

// ErrOrder says that a lock was asked for below one that comes later in the
// order: named locks by their names, then build, then cards, all of them at
// once, then link. Two processes could wait for each other otherwise.
var ErrOrder = errors.New("locks are taken in the wrong order")

// Named is a lock of a script's own.
func Named(name string) (Lock, error) {
	bad := func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", r)
	}
	if name == string(Link) || name == string(Build) {
		return "", fmt.Errorf("the %s lock is not a lock of your own: choose another name", name)
	}
	if name == "" || len(name) > maxName || name[0] == '.' || strings.IndexFunc(name, bad) >= 0 {
		return "", fmt.Errorf("the name of a lock is 1 to %d letters, digits, dots, - and _, and does not begin with a dot: %q is not", maxName, name)
	}
	return Lock("name." + name), nil
}

// Name is the name of a named lock, "" for the others.
func (l Lock) Name() string {
	name, _ := strings.CutPrefix(string(l), "name.")
	if name == string(l) {
		return ""
	}
	return name
}

// String is how people call it.
func (l Lock) String() string {
	if name := l.Name(); name != "" {
		return "lock " + name
	}
	if uuid := l.Card(); uuid != "" {
		return "lock of card " + ShortCard(uuid)
	}
	return string(l) + " lock"
}

// before says whether a may be held while b is waited for.
func (a Lock) before(b Lock) bool {
	if ra, rb := a.rank(), b.rank(); ra != rb {
		return ra < rb
	}
	return a < b && a.rank() != rankCard // no card is waited for below another one: see AcquireCards
}

// rank is the place of a kind of lock in the order. A link comes last: whoever
// holds a link waits for nothing else.
func (l Lock) rank() int {
	switch {
	case l == Link:
		return rankLink
	case l.Card() != "":
		return rankCard
	case l == Build:
		return rankBuild
	}
	return rankNamed
}

const (
	rankNamed = iota
	rankBuild
	rankCard
	rankLink
)

// valid says whether l is a lock at all, and not a path of somebody's making.
func (l Lock) valid() bool {
	if l == Link || l == Build {
		return true
	}
	named, err := Named(l.Name())
	card, cerr := Card(l.Card())
	return err == nil && named == l || cerr == nil && card == l
}
