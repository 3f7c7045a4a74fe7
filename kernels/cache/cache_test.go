package cache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func open(t *testing.T, limit int64) *Cache {
	t.Helper()
	c, err := Open(filepath.Join(t.TempDir(), "cache"), limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Cache) mustKeep(t *testing.T, data []byte) Sum {
	t.Helper()
	sum, err := c.KeepBlob(data)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// What was kept is given back, and what is not whole is missing.
func TestDamage(t *testing.T) {
	c := open(t, 0)
	key, data := KeyOf("a"), []byte("one\ntwo\n")
	if _, err := c.Record(key); !errors.Is(err, ErrMissing) {
		t.Fatal(err)
	}
	if err := c.Keep(key, data); err != nil {
		t.Fatal(err)
	}
	sum := c.mustKeep(t, data)
	record, blob := filepath.Join(c.dir, "record", string(key[:2]), string(key)), filepath.Join(c.dir, "blob", string(sum[:2]), string(sum))
	whole, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		for _, bad := range [][]byte{whole[:n], append(bytes.Clone(whole[:n]), append([]byte{whole[n] ^ 4}, whole[n+1:]...)...)} {
			if err := os.WriteFile(record, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Record(key); err == nil {
				t.Fatalf("%q is read as %q", bad, got)
			}
		}
	}
	if err := c.Keep(key, data); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Record(key); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%q, %v", got, err)
	}
	if err := os.WriteFile(blob, []byte("one\ntwx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Blob(sum); !errors.Is(err, ErrMissing) {
		t.Fatalf("%q, %v", got, err)
	}
	c.mustKeep(t, data)
	if got, err := c.Blob(sum); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%q, %v", got, err)
	}
	for _, name := range []string{"", "../../x", "zz", string(sum) + "0"} {
		if _, err := c.Blob(Sum(name)); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The least lately used goes, also if the clock was wrong when it was used.
func TestTrim(t *testing.T) {
	c := open(t, 10_000)
	var sums []Sum
	for i := range 12 {
		sums = append(sums, c.mustKeep(t, bytes.Repeat([]byte{byte(i)}, 1000)))
	}
	now := time.Now()
	for i, sum := range sums {
		at := now.Add(-time.Duration(100-i) * time.Hour)
		if i == 11 {
			at = now.Add(1000 * time.Hour)
		}
		if err := os.Chtimes(filepath.Join(c.dir, "blob", string(sum[:2]), string(sum)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if !c.UseBlob(sums[0]) {
		t.Fatal("not there")
	}
	if freed, err := c.Trim(); freed != 3000 || err != nil {
		t.Fatalf("%d, %v", freed, err)
	}
	for i, sum := range sums {
		gone := i == 11 || i == 1 || i == 2
		if _, err := c.Blob(sum); errors.Is(err, ErrMissing) != gone {
			t.Errorf("%d: %v", i, err)
		}
	}
	if freed, err := c.Trim(); freed != 0 || err != nil {
		t.Fatalf("%d, %v", freed, err)
	}
}

// What the killed left is removed when it is old, and nothing that is in use.
func TestSweep(t *testing.T) {
	c := open(t, 0)
	used, remove, err := c.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(c.dir, "scratch")
	for _, name := range []string{"build-1", "build-2"} {
		if err := os.MkdirAll(filepath.Join(scratch, name, "x"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"build-1.lock", "write-1"} {
		if err := os.WriteFile(filepath.Join(scratch, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Trim(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(scratch); len(left) != 6 {
		t.Fatalf("the young were removed: %v", left)
	}
	c.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if _, err := c.Trim(); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(scratch)
	if len(left) != 2 || left[0].Name() != filepath.Base(used) {
		t.Fatalf("left: %v", left)
	}
	remove()
	if left, _ := os.ReadDir(scratch); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
}

// One holds the lock, another waits and says so, and a context ends the wait.
func TestLock(t *testing.T) {
	c := open(t, 0)
	key := KeyOf("a")
	release, err := c.Lock(t.Context(), key, func() { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := c.Lock(ctx, key, cancel); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	waiting, got := make(chan bool), make(chan error)
	go func() {
		release, err := c.Lock(t.Context(), key, func() { close(waiting) })
		if err == nil {
			release()
		}
		got <- err
	}()
	<-waiting
	release()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

// A directory that cannot be one is an error.
func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "cache"), 0); err == nil {
		t.Error("opened below a file")
	}
}

// Any file is a record or none; what is one is given back as it was kept.
func FuzzWhole(f *testing.F) {
	f.Add("", "")
	f.Add("00000000 0\n", "x")
	f.Fuzz(func(t *testing.T, any, data string) {
		whole([]byte(any))
		if got, ok := whole(append(header([]byte(data)), data...)); !ok || string(got) != data {
			t.Fatalf("%q, %v", got, ok)
		}
	})
}
