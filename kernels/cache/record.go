package cache

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
)

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the first line of a record: the checksum of what follows. It tells a
// file that a crash of the machine left half written from a whole one.
func header(data []byte) []byte {
	return fmt.Appendf(nil, "%08x %d\n", crc32.Checksum(data, castagnoli), len(data))
}

// Record gives the record of a key, or [ErrMissing].
func (c *Cache) Record(key Key) ([]byte, error) {
	path, err := c.path("record", string(key))
	if err != nil {
		return nil, err
	}
	f, info, err := OpenRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("read a record of the cache: %w", err)
	}
	defer f.Close()
	all := make([]byte, info.Size())
	if _, err := io.ReadFull(f, all); err != nil {
		return nil, fmt.Errorf("read a record of the cache: %w", err)
	}
	data, ok := whole(all)
	if !ok {
		return nil, fmt.Errorf("%w: the record %s is damaged", ErrMissing, key)
	}
	c.used(path, info)
	return data, nil
}

// whole is what stands behind the first line, if it is what that line says.
func whole(all []byte) ([]byte, bool) {
	head, data, ok := bytes.Cut(all, []byte("\n"))
	if !ok {
		return nil, false
	}
	sum, size, _ := bytes.Cut(head, []byte(" "))
	n, err := strconv.Atoi(string(size))
	if err != nil || n != len(data) {
		return nil, false
	}
	return data, string(sum) == fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli))
}

// Keep writes the record of a key in place of the one that was there.
func (c *Cache) Keep(key Key, data []byte) error {
	path, err := c.path("record", string(key))
	if err != nil {
		return err
	}
	if err := c.write(path, header(data), data); err != nil {
		return fmt.Errorf("keep a record: %w", err)
	}
	return nil
}
