package main

import (
	"errors"
	"fmt"
	"gpuci/buildlock/shim"
	"path/filepath"
	"slices"
	"strings"
)

// checkShims says where shims are made, and what they stand for.
func (d *doctor) checkShims() []check {
	in := shim.Install{Env: d.env}
	dir, there, err := in.Parent()
	if err != nil {
		text := err.Error()
		if !errors.Is(err, shim.ErrUnfit) {
			return []check{unsure("shims", text)}
		}
		return []check{broken("shims", text, "no link of a gate could queue: gates are refused", "set XDG_DATA_HOME to a directory of yours that programs can be run from").at(dir).stops(exitUnfit)}
	}
	var names []string
	for _, s := range in.Stands() {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return []check{fine("shims", "none: no tool that links is on PATH").at(dir)}
	}
	text := "stand for " + count(len(names), "tool", "tools")
	if !there {
		text += "; the first build makes them"
	}
	return []check{fine("shims", text).at(dir), fine("stand for", strings.Join(names, ", ")).hidden()}
}

// checkPast names what calls a linker, or a compiler with a linker of its own,
// by its path: the shims do not see that.
func (d *doctor) checkPast() check {
	var found []string
	for _, l := range d.cargoLines() {
		if why := l.past(); why != "" {
			found = append(found, why)
		}
	}
	for _, name := range []string{"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"} {
		if v, ok := shim.Lookup(d.env, name); ok {
			if path := linkerIn(v); path != "" {
				found = append(found, fmt.Sprintf("%s names %s", name, path))
			}
		}
	}
	for _, e := range d.env {
		name, value, _ := strings.Cut(e, "=")
		target := strings.HasPrefix(name, "CARGO_TARGET_") && strings.HasSuffix(name, "_LINKER")
		if (target || name == "LD") && filepath.IsAbs(value) {
			found = append(found, fmt.Sprintf("%s is %s", name, value))
		}
	}
	if len(found) == 0 {
		return fine("past the shims", "nothing seen in the environment and in cargo's configuration").hidden()
	}
	slices.Sort(found)
	return lost("past the shims", strings.Join(found, "; "), "such a link may not queue: it is named in outcomes and by gpuci lock status",
		`name the compiler and the linker without their directories (linker = "clang", -fuse-ld=mold)`)
}

// linkerIn is the path of a linker, or of a compiler that links, in flags of
// rustc's; "" where there is none.
func linkerIn(flags string) string {
	for _, word := range strings.FieldsFunc(flags, func(r rune) bool { return strings.ContainsRune(" \t\x1f\"',[]", r) }) {
		for _, option := range []string{"-Clinker=", "linker=", "-Clink-arg=--ld-path=", "link-arg=--ld-path=", "-Clink-arg=-fuse-ld=", "link-arg=-fuse-ld="} {
			if path, ok := strings.CutPrefix(word, option); ok && filepath.IsAbs(path) {
				return path
			}
		}
	}
	return ""
}
