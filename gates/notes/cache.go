package notes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// form is that of a kept file. It goes up with what counts as a note.
	form = 3
	// maxKept is how many files are kept: those of the commits of some weeks.
	maxKept = 200
	// maxCache bounds what is read of one, in bytes.
	maxCache = 8 << 20
)

// kept is what a commit holds, as it is in the cache.
type kept struct {
	Form int `json:"form"`
	Found
}

// cacheName is the file of the lane's commit. Who has the commit's id has what it
// holds; nothing of it can change.
func (p Place) cacheName() string { return cacheName("in", p.Draft.Commit, filepath.Clean(p.Dir)) }

func cacheName(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16]) + ".json"
}

func (p Place) cached() (f Found, ok bool) {
	var k kept
	if !shelf(p.Cache).read(p.cacheName(), &k) || k.Form != form {
		return f, false
	}
	return k.Found, true
}

func (p Place) keep(f Found) { shelf(p.Cache).write(p.cacheName(), kept{form, f}) }

// shelf is a directory of what need not be found out twice; "" is none.
type shelf string

// read says whether a file is there and whole.
func (dir shelf) read(name string, into any) bool {
	if dir == "" {
		return false
	}
	path := filepath.Join(string(dir), name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCache {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, into) == nil
}

// write makes a file appear whole or not at all. Where that fails, it is found out
// again the next time.
func (dir shelf) write(name string, v any) {
	data, err := json.Marshal(v)
	if dir == "" || err != nil || os.MkdirAll(string(dir), 0o755) != nil {
		return
	}
	part, err := os.CreateTemp(string(dir), ".part-*")
	if err != nil {
		return
	}
	_, err = part.Write(data)
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part.Name(), filepath.Join(string(dir), name))
	}
	if err != nil {
		_ = os.Remove(part.Name())
		return
	}
	dir.clear()
}

// clear removes the oldest ones beyond the number that is kept.
func (dir shelf) clear() {
	entries, err := os.ReadDir(string(dir))
	if err != nil || len(entries) <= maxKept {
		return
	}
	age := make(map[string]int64)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			age[e.Name()] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return int(min(1, max(-1, age[a.Name()]-age[b.Name()]))) })
	for _, e := range entries[:len(entries)-maxKept] {
		_ = os.Remove(filepath.Join(string(dir), e.Name()))
	}
}
