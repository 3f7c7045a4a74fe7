package proc

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// doubt is what must be known of a process to say of a path of its own, which
// ends in the kernel's mark, whether the mark is the kernel's or part of a name.
type doubt struct {
	here   bool   // it is in our own mount namespace: paths mean the same to both
	mounts mounts // ours if so, else its own
}

// errAbsent says that a magic link leads nowhere any more.
var errAbsent = errors.New("it leads nowhere")

// doubt reads what is needed about the process whose directory d is. What
// cannot be read leaves more to be doubted.
func (d dir) doubt() (k doubt) {
	own, err := Real.Namespaces(unix.Getpid())
	if err == nil {
		ns, err := d.namespaces()
		k.here = err == nil && ns.Mount == own.Mount
	}
	if !k.here {
		k.mounts, _ = d.mounts()
		return k
	}
	if self, err := openDir(string(Real) + "/self"); err == nil {
		k.mounts, _ = self.mounts()
		self.close()
	}
	return k
}

// unlinked says whether the mark at the end of a magic link's text is the
// kernel's. A link count of 0 proves it. Cargo keeps a second hard link of the
// programs it builds, and overlayfs counts 1 for some directories it has
// removed; there it is proved when nothing has the marked name in a directory
// of the same mount, looked at from the same mount namespace: what is mounted
// over a directory hides the names in it. On any doubt the text is a name.
//
// Nothing is asked of a file system by us that can hang: see prompt, and
// missing. The error is a *SilentError, or errAbsent.
func (k doubt) unlinked(d dir, link, text string) (bool, error) {
	if !k.prompt(text) {
		linked, err := d.linked(link, text)
		return !linked && err == nil, err
	}
	st, err := d.target(link, 0)
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %w", errAbsent, err)
	case st.Nlink == 0:
		return true, nil
	case !k.here || st.Mask&unix.STATX_MNT_ID == 0:
		return false, nil
	}
	if m, ok := k.mounts.at(filepath.Dir(text)); !ok || m.id != st.Mnt_id {
		return false, nil
	}
	if isSilent(st.Mnt_id) {
		return false, &SilentError{Path: text}
	}
	lost, err := missing(text)
	if err != nil {
		setSilent(st.Mnt_id)
	}
	return lost, err
}

// prompt says whether what is open at a path can be looked at without waiting
// for anybody. In another mount namespace the path tells nothing: there all
// mounts must be so.
func (k doubt) prompt(text string) bool {
	if k.here {
		m, ok := k.mounts.at(text)
		return ok && m.prompt()
	}
	for _, m := range k.mounts {
		if !m.prompt() {
			return false
		}
	}
	return len(k.mounts) > 0
}
