package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// DefaultLimit is room for some hundred thousand cubins, and small on a disk that
// has room for one checkpoint.
const DefaultLimit = 4 << 30

// Cache is one directory. Its methods may be called from several goroutines, and
// several processes may use one directory.
type Cache struct {
	dir   string
	limit int64
	now   func() time.Time
}

// Key names a record.
type Key string

// Sum is the SHA-256 of bytes, in hexadecimal.
type Sum string

// KeyOf is the key of a text that holds everything that a record depends on.
func KeyOf(text string) Key { return Key(SumOf([]byte(text))) }

// SumOf is the sum of these bytes.
func SumOf(data []byte) Sum {
	s := sha256.Sum256(data)
	return Sum(hex.EncodeToString(s[:]))
}

// Open makes the directory, if it is not there, and finds out that it can be
// written to. The limit is in bytes; 0 is [DefaultLimit], and below 0 is none.
func Open(dir string, limit int64) (*Cache, error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	c := &Cache{dir: dir, limit: limit, now: time.Now}
	for _, sub := range []string{"record", "blob", "lock", "scratch"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, fmt.Errorf("open the cache %s: %w", dir, err)
		}
	}
	probe, err := os.CreateTemp(filepath.Join(dir, "scratch"), "probe-")
	if err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", dir, err)
	}
	return c, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Dir is the directory.
func (c *Cache) Dir() string { return c.dir }

// ErrMissing says that the cache does not have it, or no longer whole.
var ErrMissing = errors.New("not in the cache")

func (c *Cache) path(kind, name string) (string, error) {
	if _, err := hex.DecodeString(name); err != nil || len(name) != 2*sha256.Size {
		return "", fmt.Errorf("%s %s: not a sum in hexadecimal", kind, strconv.Quote(name))
	}
	return filepath.Join(c.dir, kind, name[:2], name), nil
}

// stale is how old a use must be to be written down anew: eviction needs hours,
// and a build that does nothing should write nothing.
const stale = time.Hour

// used notes that the file was used. That it cannot be noted is no error: the file
// goes a little earlier.
func (c *Cache) used(path string, info fs.FileInfo) {
	now := c.now()
	if age := now.Sub(info.ModTime()); age > stale || age < -stale {
		os.Chtimes(path, now, now)
	}
}

// write puts a file in place, whole or not at all.
func (c *Cache) write(path string, parts ...[]byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Join(c.dir, "scratch"), "write-")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	// Other users may read what their own mask would not keep from us; CreateTemp
	// thinks of /tmp.
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
