package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/buildlock/shim"
	"gpuci/gates"
)

// What NVIDIA's driver shows of itself.
const (
	driverFile = "/proc/driver/nvidia/version"
	nvmlName   = "libnvidia-ml.so.1"
)

// checkDriver looks at the driver, the library that tells of cards, and the
// devices. Nothing is loaded.
func (d *doctor) checkDriver(ctx context.Context) []check {
	data, err := os.ReadFile(driverFile)
	devices, _ := filepath.Glob("/dev/nvidia[0-9]*")
	library, by := d.nvml(ctx)
	if err != nil && len(devices) == 0 && library == "" {
		return []check{d.noDriver()}
	}
	driver := fine("driver", firstLine(string(data))).at(driverFile)
	driver.Version = driverVersion(string(data))
	if err != nil {
		driver = lost("driver", "there is no "+driverFile, "no card can be used", "load NVIDIA's kernel module: modprobe nvidia, or --gpus all in a container")
	}
	nvml := fine("NVML", "found "+by).at(library)
	if library == "" {
		nvml = lost("NVML", "no "+nvmlName+" "+by, "cards can be asked by nvidia-smi only", "the driver's libnvidia-compute package, or --gpus all in a container")
	}
	return []check{driver, nvml, checkDevices(devices)}
}

func (d *doctor) noDriver() check {
	c := fine("driver", "there is no card of NVIDIA's here")
	if by, used := d.uses["nvcc"]; used {
		c.Value += "; " + by + ", and kernels can be compiled all the same"
	}
	return c
}

// driverVersion is the version in the driver's own file, whose first line has it
// behind the words Kernel Module, and before that the architecture.
func driverVersion(text string) string {
	return regexp.MustCompile(`\d+\.\d+(?:\.\d+)*`).FindString(firstLine(text))
}

// nvml finds the library where the loader would: in LD_LIBRARY_PATH, in what
// ldconfig has noted, in the usual directories.
func (d *doctor) nvml(ctx context.Context) (path, by string) {
	list, _ := shim.Lookup(d.env, "LD_LIBRARY_PATH")
	for dir := range strings.SplitSeq(list, ":") {
		if path := filepath.Join(dir, nvmlName); dir != "" && isFile(path) {
			return path, "in LD_LIBRARY_PATH"
		}
	}
	for _, ldconfig := range []string{"/sbin/ldconfig", "/usr/sbin/ldconfig"} {
		if a, err := gates.Ask(ctx, askTime, []string{ldconfig, "-p"}, "/", askEnv(d.env)); err == nil && a.Failed == "" {
			path := noted(a.Text)
			return path, "by what ldconfig has noted"
		}
	}
	for _, dir := range []string{"/lib64", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"} {
		if path := filepath.Join(dir, nvmlName); isFile(path) {
			return path, "in the usual place"
		}
	}
	return "", "in the usual places"
}

// noted is the path of the library in a list of ldconfig's, whose lines are
// "NAME (KIND) => PATH".
func noted(list string) string {
	for line := range strings.Lines(list) {
		name, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if word, _, _ := strings.Cut(name, " "); ok && word == nvmlName {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func checkDevices(list []string) check {
	var barred []string
	for _, path := range list {
		if unix.Access(path, unix.R_OK|unix.W_OK) != nil {
			barred = append(barred, path)
		}
	}
	switch {
	case len(list) == 0:
		return lost("devices", "there is no /dev/nvidia0", "no card can be used", "nvidia-modprobe -u -c=0 makes them, or --gpus all in a container")
	case len(barred) > 0:
		return lost("devices", fmt.Sprintf("%s may not be opened", strings.Join(barred, ", ")), "these cards cannot be used", "the group that owns them: ls -l "+barred[0])
	}
	return fine("devices", count(len(list), "card", "cards"))
}
