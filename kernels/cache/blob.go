package cache

import (
	"errors"
	"fmt"
	"os"
)

// maxBlob is far above any output: the largest library of kernels known has 2 GiB.
const maxBlob = 16 << 30

// Blob gives the bytes of a sum, or [ErrMissing]; one whose bytes are no longer
// those is removed.
func (c *Cache) Blob(sum Sum) ([]byte, error) {
	path, err := c.path("blob", string(sum))
	if err != nil {
		return nil, err
	}
	data, err := ReadRegular(path, maxBlob)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("read a blob of the cache: %w", err)
	}
	if SumOf(data) != sum {
		os.Remove(path)
		return nil, fmt.Errorf("%w: the blob %s is damaged", ErrMissing, sum)
	}
	c.UseBlob(sum)
	return data, nil
}

// UseBlob notes that a blob was used, where its bytes were not needed, and says
// whether it is there.
func (c *Cache) UseBlob(sum Sum) bool {
	path, err := c.path("blob", string(sum))
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	c.used(path, info)
	return true
}

// KeepBlob writes these bytes, unless it has them, and gives their sum.
func (c *Cache) KeepBlob(data []byte) (Sum, error) {
	sum := SumOf(data)
	path, err := c.path("blob", string(sum))
	if err != nil {
		return "", err
	}
	// One of another size was damaged; one of this size is told by its next reader.
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		c.used(path, info)
		return sum, nil
	}
	if err := c.write(path, data); err != nil {
		return "", fmt.Errorf("keep a blob: %w", err)
	}
	return sum, nil
}
