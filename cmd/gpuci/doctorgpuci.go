package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gpuci/gates"
	"gpuci/gates/config"
)

// configure reads the configuration. Where a file is wrong, the lock directory
// is still looked at as the machine's own file has it, where that can be read.
func (d *doctor) configure() {
	file := cmp.Or(d.file, os.DevNull)
	for _, src := range []config.Sources{config.DefaultSources(file), config.DefaultSources(os.DevNull), {Workspace: os.DevNull}} {
		cfg, err := config.Load(src)
		if err == nil {
			d.place.config = cfg
			break
		}
		if d.wrong == nil {
			d.wrong = err
		}
	}
	d.app.locks = d.place.lockDir()
}

// root is the directory of the workspace, or else of the lane, or where we are.
func (d *doctor) root() string {
	if d.file != "" {
		return filepath.Dir(d.file)
	}
	return cmp.Or(d.place.lane.Root, d.place.dir)
}

func (d *doctor) checkGpuci(context.Context) []check {
	out := []check{d.checkSelf(), d.checkLinkProgram()}
	src := config.DefaultSources(d.file)
	out = append(out, d.checkFile("machine file", src.Machine, src.Named), d.checkFile("own file", src.Personal, false))
	if d.file != "" {
		out = append(out, d.checkFile("workspace file", d.file, false))
	}
	if d.wrong != nil {
		out = append(out, broken("configuration", d.wrong.Error(), "no command runs that reads it", "put the file right; gpuci config says when it is").stops(gates.ExitConfig))
	}
	if err := checkRule(); err != nil {
		c := broken("environment", err.Error(), "nothing is held back by the pressure as it says", "")
		var why coded
		if errors.As(err, &why) {
			c.Get = why.hint
		}
		out = append(out, c.stops(gates.ExitConfig))
	}
	for _, dropped := range d.place.config.Dropped() {
		out = append(out, lost("links", dropped.String(), "the machine's number stays", "links in /etc/gpuci.toml, which root writes"))
	}
	return out
}

func (d *doctor) checkSelf() check {
	self, err := os.Executable()
	if err != nil {
		return unsure("gpuci", err.Error())
	}
	c := fine("gpuci", "built by "+runtime.Version()).at(self)
	c.Version = versionText()
	return c
}

func (d *doctor) checkLinkProgram() check {
	self, err := os.Executable()
	if err != nil {
		return unsure(linkProgram, err.Error())
	}
	path := filepath.Join(filepath.Dir(self), linkProgram)
	if executableFile(path) {
		return fine(linkProgram, "beside gpuci").at(path)
	}
	return lost(linkProgram, "not beside gpuci, which is its own shim then", "each compiler and linker starts some milliseconds later",
		"in gpuci's own repository: go install ./cmd/gpuci ./cmd/gpuci-link, or go build -o "+filepath.Dir(self)+"/ ./cmd/gpuci-link")
}

// executableFile says whether there is a file that may be run.
func executableFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// checkFile says what a file of the configuration sets.
func (d *doctor) checkFile(name, path string, must bool) check {
	data, err := readSmall(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !must, path == "":
		return fine(name, "not there").at(path)
	case err != nil: // that it cannot be read is the configuration's to say
		return fine(name, "it cannot be read").at(path)
	}
	keys := d.keysOf(path, data)
	if len(keys) == 0 {
		return fine(name, "sets nothing").at(path)
	}
	return fine(name, "sets "+strings.Join(keys, ", ")).at(path)
}

// maxSmall bounds what is read of a file that a person writes, in bytes.
const maxSmall = 1 << 20

// readSmall reads a regular file, or /dev/null.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSmall || !info.Mode().IsRegular() && info.Mode()&os.ModeCharDevice == 0 {
		return nil, fmt.Errorf("%s is no file that a person wrote", path)
	}
	return os.ReadFile(path)
}

// keysOf are the settings in a file; of one that a stronger file sets too, it
// says so. Gates are counted.
func (d *doctor) keysOf(path string, data []byte) (out []string) {
	var tree map[string]any
	if toml.Unmarshal(data, &tree) != nil {
		return []string{"what cannot be told while it is wrong"}
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		switch v := tree[key].(type) {
		case map[string]any:
			for _, inner := range slices.Sorted(maps.Keys(v)) {
				out = append(out, d.setting(path, key+"."+inner))
			}
		case []any:
			one := map[string]string{"kernels": "set of kernels"}[key]
			one = cmp.Or(one, key)
			out = append(out, count(len(v), one, cmp.Or(map[string]string{"kernels": "sets of kernels"}[key], one+"s")))
		default:
			out = append(out, d.setting(path, key))
		}
	}
	return out
}

func (d *doctor) setting(path, key string) string {
	o, ok := d.place.config.Origin(key)
	if d.wrong == nil && ok && o.File != path && o.File != filepath.Base(path) {
		return fmt.Sprintf("%s (%s:%d goes before it)", key, filepath.Base(o.File), o.Line)
	}
	return key
}
