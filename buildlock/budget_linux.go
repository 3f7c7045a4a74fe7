package buildlock

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Budget is how long one build has been held back because of the pressure on
// this machine, all its links together. It is a file in the lock directory, a
// line for each time: what was spent stays spent when a link is killed.
type Budget struct {
	path string
}

// budgetPrefix begins the names of these files: no lock has such a name.
const budgetPrefix = "held."

// budgetLife is how long a budget counts after it was last drawn on. A shell's job
// can last for weeks, as that of a CI agent does: after an hour without being held
// back it has its whole budget again.
const budgetLife = time.Hour

// BudgetOf is the budget of a build, named by its id, or by what else tells its
// processes from others. dir is the lock directory, "" the machine's.
func BudgetOf(dir, build string) Budget {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == 0 {
			return '_'
		}
		return r
	}, Clip(build))
	return Budget{filepath.Join(orDefault(dir), budgetPrefix+strconv.Itoa(os.Getuid())+"."+name)}
}

// Spent is how much of it is gone; what cannot be read counts as nothing.
func (b Budget) Spent() (sum time.Duration) {
	f, err := b.open(unix.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || time.Since(info.ModTime()) > budgetLife {
		return 0
	}
	buf := make([]byte, maxBudget)
	n, _ := f.Read(buf)
	for line := range strings.Lines(string(buf[:n])) {
		ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil || ns < 0 || ns > int64(budgetLife) || !strings.HasSuffix(line, "\n") {
			continue
		}
		sum += time.Duration(ns)
	}
	return sum
}

// maxBudget bounds what is read, in bytes: twenty bytes for each half second of
// the longest budget that makes sense.
const maxBudget = 1 << 20

// Spend adds to it.
func (b Budget) Spend(d time.Duration) error {
	f, err := b.open(unix.O_WRONLY | unix.O_APPEND)
	if err != nil {
		b.clear()
		f, err = b.open(unix.O_WRONLY | unix.O_APPEND | unix.O_CREAT)
	}
	if err != nil {
		return fmt.Errorf("note time held back: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > budgetLife {
		_ = f.Truncate(0)
	}
	// A line that was torn before it is ended first.
	if _, err := f.WriteString("\n" + strconv.FormatInt(int64(d), 10) + "\n"); err != nil {
		return fmt.Errorf("note time held back: %w", err)
	}
	return nil
}

// SpendAtLeast makes sure that so much of it is gone: what several links of a
// build waited at the same time counts once.
func (b Budget) SpendAtLeast(d time.Duration) error {
	if gone := b.Spent(); gone < d {
		return b.Spend(d - gone)
	}
	return nil
}

// Drop takes the budget away, at the end of its build.
func (b Budget) Drop() {
	if f, err := b.open(unix.O_RDONLY); err == nil {
		_ = f.Close()
		_ = os.Remove(b.path)
	}
}

// open refuses what somebody else has put in the file's place: the directory is
// writable for all.
func (b Budget) open(flags int) (*os.File, error) {
	f, err := os.OpenFile(b.path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is not a file of ours", b.path)
	}
	return f, nil
}

// clear takes away our files of builds that are over, as far as that can be
// told by their age.
func (b Budget) clear() {
	list, err := filepath.Glob(filepath.Join(filepath.Dir(b.path), budgetPrefix+strconv.Itoa(os.Getuid())+".*"))
	if err != nil {
		return
	}
	for _, path := range list {
		var st unix.Stat_t
		if unix.Lstat(path, &st) == nil && int(st.Uid) == os.Geteuid() && time.Since(time.Unix(st.Mtim.Unix())) > budgetLife {
			_ = os.Remove(path)
		}
	}
}
