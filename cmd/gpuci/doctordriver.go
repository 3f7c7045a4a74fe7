package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/kernels/device"
	"gpuci/reaper/proc"
)

// What NVIDIA's driver shows of itself.
const (
	driverFile = "/proc/driver/nvidia/version"
	nvmlName   = "libnvidia-ml.so.1"
	smiName    = "nvidia-smi"
)

// checkDriver looks at what the driver shows of itself.
func checkDriver(look device.Look) check {
	data, err := os.ReadFile(driverFile)
	c := fine("driver", cmp.Or(firstLine(string(data)), "told by "+look.Source))
	c.Version = cmp.Or(driverVersion(string(data)), look.Driver)
	switch {
	case look.Silent != "":
		return broken("driver", "it does not answer: "+look.Silent, "every card counts as unknown, and gates that need one are refused", "dmesg has what the driver says (NVRM, Xid); a restart of the machine may be the way out")
	case err == nil:
		return c.at(driverFile)
	case look.Driver == "":
		return lost("driver", "there is no "+driverFile, "no card can be used", "load NVIDIA's kernel module: modprobe nvidia, or --gpus all in a container")
	}
	return c
}

// checkNVML says whether cards are asked through the driver's library, or why not.
func (d *doctor) checkNVML(ctx context.Context, look device.Look) check {
	library, by := d.nvml(ctx)
	const without = "cards are asked through nvidia-smi: some hundred ms a look in place of a few, and no word of who came between two"
	switch {
	case look.Source == "nvml":
		c := fine("NVML", "loaded").at(library)
		c.Version = look.Raw.NVML
		return c
	case !withCgo():
		return lost("NVML", "this gpuci was built without cgo and loads no library", without, "CGO_ENABLED=1 go install ./cmd/gpuci, with a C compiler")
	case library == "":
		return lost("NVML", "no "+nvmlName+" "+by, without, "the driver's libnvidia-compute package, or --gpus all in a container")
	}
	return lost("NVML", "found "+by+", and it does not answer", without, "a library and a kernel module of one version: reboot after an upgrade of the driver").at(library)
}

// withCgo says whether gpuci was built with cgo, by what the build wrote down.
func withCgo() bool {
	info, ok := debug.ReadBuildInfo()
	return !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"})
}

// checkSMI looks for the program that is asked where NVML is not.
func (d *doctor) checkSMI(look device.Look) check {
	path, err := proc.LookPath(smiName, "/", d.env)
	switch {
	case err != nil && look.Source == "nvml":
		return lost("nvidia-smi", "not here", "should NVML hang, nothing else can be asked", "the driver's nvidia-utils package")
	case err != nil:
		return lost("nvidia-smi", "not here", "nothing can be asked about cards", "the driver's nvidia-utils package")
	case look.Source == smiName:
		return fine("nvidia-smi", "it is asked about cards").at(path)
	}
	return fine("nvidia-smi", "for when NVML does not answer").at(path).hidden()
}

// driverVersion is the version in the driver's own file, whose first line has it
// behind the words Kernel Module, and before that the architecture.
func driverVersion(text string) string {
	return regexp.MustCompile(`\d+\.\d+(?:\.\d+)*`).FindString(firstLine(text))
}

// nvml finds NVML where the loader would.
func (d *doctor) nvml(ctx context.Context) (path, by string) { return d.library(ctx, nvmlName) }

// library finds one where the loader would: in LD_LIBRARY_PATH, in what ldconfig has
// noted, in the usual directories.
func (d *doctor) library(ctx context.Context, file string) (path, by string) {
	list, _ := shim.Lookup(d.env, "LD_LIBRARY_PATH")
	if path := inDirectories(list, file); path != "" {
		return path, "in LD_LIBRARY_PATH"
	}
	if list, ok := askLdconfig(ctx, d.env); ok {
		return noted(list, file), "by what ldconfig has noted"
	}
	for _, dir := range []string{"/lib64", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"} {
		if path := filepath.Join(dir, file); isFile(path) {
			return path, "in the usual place"
		}
	}
	return "", "in the usual places"
}

// inDirectories is the path of a file in a list of directories such as LD_LIBRARY_PATH;
// "" where it is in none.
func inDirectories(list, file string) string {
	for dir := range strings.SplitSeq(list, ":") {
		if path := filepath.Join(dir, file); dir != "" && isFile(path) {
			return path
		}
	}
	return ""
}

// askLdconfig is what the loader has noted, if ldconfig can say it.
func askLdconfig(ctx context.Context, env []string) (list string, ok bool) {
	for _, ldconfig := range []string{"/sbin/ldconfig", "/usr/sbin/ldconfig"} {
		if a, err := gates.Ask(ctx, askTime, []string{ldconfig, "-p"}, "/", askEnv(env)); err == nil && a.Failed == "" {
			return a.Text, true
		}
	}
	return "", false
}

// noted is the path of a library in a list of ldconfig's, whose lines are
// "NAME (KIND) => PATH".
func noted(list, file string) string {
	for line := range strings.Lines(list) {
		name, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if word, _, _ := strings.Cut(name, " "); ok && word == file {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// deviceFiles are those of the cards.
func deviceFiles() []string {
	list, _ := filepath.Glob(filepath.Join("/", os.Getenv(device.RootVariable), "dev/nvidia[0-9]*"))
	return list
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
	return fine("devices", count(len(list), "device file", "device files")) // a container may show more than cards
}
