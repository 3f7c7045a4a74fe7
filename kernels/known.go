package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"gpuci/kernels/cache"
	"gpuci/kernels/entry"
	"gpuci/kernels/ptxas"
)

// What was spilled stands in no cubin. What ptxas said of an output is kept under the
// output's own content, so that whoever looks at that file later, or at a copy of it,
// knows it too.

// remember keeps what the compiler said of the outputs.
func (b *Built) remember(o Options) {
	if o.Cache == "" {
		return
	}
	c, err := cache.Open(o.Cache, o.CacheLimit)
	if err != nil {
		return // the build has said so
	}
	for _, u := range b.Units {
		key, err := saidOf(u.Output)
		if u.Log == "" || err != nil {
			continue
		}
		if _, err := c.Record(key); err == nil {
			continue
		}
		if err := c.Keep(key, []byte(u.Log)); err != nil {
			b.Notes = append(b.Notes, err.Error())
			return
		}
	}
}

// Known gives modules the spills that gpuci's compiler told of their files, wherever
// these lie now. dir is the cache of builds; where it has nothing of a file, nothing
// changes.
func Known(dir string, modules []entry.Module) {
	if dir == "" {
		return
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return // nothing was ever built
	}
	c, err := cache.Open(dir, 0)
	if err != nil {
		return
	}
	uses := make(map[string][]ptxas.Use)
	for i := range modules {
		m := &modules[i]
		if m.Kind != "cubin" || len(m.Kernels) == 0 {
			continue
		}
		if _, read := uses[m.File]; !read {
			uses[m.File] = nil
			if key, err := saidOf(m.File); err == nil {
				if log, err := c.Record(key); err == nil {
					uses[m.File] = ptxas.Parse(string(log))
				}
			}
		}
		ptxas.Into(m, uses[m.File])
	}
}

// maxOutput is how many bytes a file has that the compiler is taken to have made: a
// library of hundreds of megabytes is not gone through for it.
const maxOutput = 64 << 20

// saidOf is where what the compiler said of a file is kept.
func saidOf(path string) (cache.Key, error) {
	f, info, err := cache.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > maxOutput {
		return "", fmt.Errorf("%s: more than %d bytes", path, maxOutput)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return cache.KeyOf("what was said of " + hex.EncodeToString(sum.Sum(nil))), nil
}
