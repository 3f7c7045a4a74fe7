package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gpuci/gates"
)

// strangers finds what came to the bundle. What could be run in place of what was packed
// is an error, as is a link that leads out; the rest is named.
func (b *Bundle) strangers(ctx context.Context, root *os.Root) (came []string, err error) {
	packed := map[string]bool{ManifestName: true}
	for _, f := range b.Files {
		packed[f.Path] = true
	}
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return unsound(gates.Broken, fmt.Sprintf("what is in the bundle cannot be told: %v", err), again)
		case packed[path] || d.IsDir():
			return nil
		}
		if why := stranger(root, path, d); why != "" {
			return unsound(gates.Broken, path+" is not of the bundle, and "+why, "remove it, or "+again)
		}
		came = append(came, path)
		return nil
	})
	return came, err
}

// stranger says why a file that was not packed may not be there; "" for data.
func stranger(root *os.Root, path string, d fs.DirEntry) string {
	if d.Type()&fs.ModeSymlink != 0 {
		if _, err := root.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "is a link that leads out of it"
		}
		return ""
	}
	info, err := d.Info()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return "" // gone by now, or nothing that has content
	case info.Mode()&0o111 != 0:
		return "is executable"
	}
	f, err := root.Open(path)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	defer f.Close()
	start := make([]byte, 4)
	n, _ := io.ReadFull(f, start)
	switch start = start[:n]; {
	case string(start) == "\x7fELF": // a library is loaded, and a cubin, whatever its mode
		return "is machine code"
	case n >= 2 && string(start[:2]) == "#!":
		return "is a script"
	}
	return ""
}
