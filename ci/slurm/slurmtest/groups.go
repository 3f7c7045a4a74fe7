package slurmtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

const groups = "/sys/fs/cgroup"

// groupPlugin is the one for what this machine has mounted.
func groupPlugin() string {
	if _, err := os.Stat(filepath.Join(groups, "cgroup.controllers")); err == nil {
		return "cgroup/v2"
	}
	return "cgroup/v1"
}

// Memory says whether Slurm can bound a job's memory here: as root, with the first version
// of cgroups. With the second one slurmd wants to be a unit of systemd's.
var Memory = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp(filepath.Join(groups, "memory"), "slurmtest")
	return err == nil && os.Remove(dir) == nil
})

// removeGroups removes the groups that slurmd has left, which are named by its nodes.
func removeGroups(nodes []string) (err error) {
	for _, n := range nodes {
		found, _ := filepath.Glob(filepath.Join(groups, "*", "slurm_"+n))
		for _, top := range found {
			var dirs []string
			_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, _ error) error {
				if d != nil && d.IsDir() {
					dirs = append(dirs, path)
				}
				return nil
			})
			slices.Reverse(dirs)
			for _, dir := range dirs {
				err = errors.Join(err, os.Remove(dir))
			}
		}
	}
	return err
}
