package trace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Built is where [Library] would find the library without compiling it; "" where it would
// compile it. The errors are those of Library. Nothing is changed.
func Built(ctx context.Context, o LibraryOptions) (string, error) {
	if o.Beside != "" {
		path := filepath.Join(o.Beside, LibraryName)
		if there, err := builtBefore(path); there || err != nil {
			return path, err
		}
	}
	cc, err := findCompiler(ctx, o.CC)
	if err != nil || o.Dir == "" {
		return "", err
	}
	sum, err := sourcesSum(cc)
	if err != nil {
		return "", err
	}
	path := filepath.Join(o.Dir, "libgpuci-trace-"+sum+".so")
	_, err = os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil || !usable(path) {
		return "", nil
	}
	return path, nil
}
