package reaper

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// checkoutTime is how long a file system is waited for: an answer takes some
	// microseconds, one of a server over the network milliseconds.
	checkoutTime = 300 * time.Millisecond
	// hungMost is how many questions may hang at once, each with a thread of ours:
	// then nobody else is asked for, and nothing is known.
	hungMost = 4
	// linkMost is the longest .git file that is read: a path and a word.
	linkMost = 8 << 10
)

// checkoutAsked is a question about a directory.
type checkoutAsked struct {
	dir, root string
	removed   bool
}

func (f *facts) Checkout(pid int, l Lane) (dir string, known bool) {
	p := f.complete(f.processes[pid])
	if !p.Cwd.Known() {
		return "", false
	}
	q := checkoutAsked{p.Cwd.Path, trim(l.Root), l.Removed}
	a, ok := f.checkouts[q]
	if !ok {
		a = f.eye.checkout(q)
		f.checkouts[q] = a
	}
	return a.value, a.known
}

// checkout asks the file system, and does not wait for one that hangs.
func (e *eye) checkout(q checkoutAsked) answer[string] {
	if e.hung >= hungMost {
		return answer[string]{}
	}
	done := make(chan answer[string], 1)
	go func() {
		dir, err := q.find()
		done <- answer[string]{dir, err == nil}
	}()
	late := time.NewTimer(checkoutTime)
	defer late.Stop()
	select {
	case a := <-done:
		return a
	case <-late.C:
		e.hung++
		e.blind["whose work tree "+q.dir+" is: no answer from its file system"] = true
		return answer[string]{}
	}
}

// find goes up from the directory. Whatever is called .git makes a work tree, as
// a file, a directory or a link: what git itself makes of it is not asked.
func (q checkoutAsked) find() (string, error) {
	end := q.root
	if q.removed {
		end = filepath.Dir(q.root)
	}
	if cargoKeeps(q.dir) {
		return "", nil
	}
	for dir := q.dir; dir != end; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		case err != nil:
			return "", err
		case q.root == "" || q.removed || !info.Mode().IsRegular() || !q.submodule(dir):
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", nil
}

// submodule says whether a directory is the lane's for a submodule: its .git
// leads into what the lane's own git directory keeps of such. A worktree of a
// submodule is none.
func (q checkoutAsked) submodule(dir string) bool {
	its, ours := gitDir(dir), gitDir(q.root)
	modules := filepath.Join(ours, "modules")
	return its != "" && ours != "" && its != modules && inside(its, modules) && !strings.Contains(its[len(modules):], "/worktrees/")
}

// gitDir is where the .git of a directory leads, links resolved, "" where that
// cannot be told.
func gitDir(dir string) string {
	path := filepath.Join(dir, ".git")
	if info, err := os.Stat(path); err != nil {
		return ""
	} else if !info.IsDir() {
		if path = linked(path); path == "" {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}

// linked reads a .git file, gitrepository-layout(5).
func linked(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, linkMost))
	if err != nil {
		return ""
	}
	to, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return ""
	}
	return strings.TrimRight(to, "\n")
}

// cargoKept are the directories of cargo's home into which it unpacks packages
// and repositories for whoever builds with them, where a build script is linked:
// registry/src/INDEX-HASH and git/checkouts/NAME-HASH.
var cargoKept = regexp.MustCompile(`/(registry/src|git/checkouts)/[^/]+-[0-9a-f]{16}(/|$)`)

func cargoKeeps(dir string) bool { return cargoKept.MatchString(dir) }
