package main

import (
	"cmp"
	"fmt"
	"gpuci/buildlock/shim"
	"path/filepath"
	"strings"
)

// cargoLine is a line of a configuration file of cargo's.
type cargoLine struct {
	file, text string
	line       int // from 1
}

// cargoLines are the lines of cargo's configuration files that hold here: those
// of the directories from here upwards, and cargo's own.
func (d *doctor) cargoLines() (out []cargoLine) {
	home, _ := shim.Lookup(d.env, "HOME")
	own, _ := shim.Lookup(d.env, "CARGO_HOME")
	dirs := []string{cmp.Or(own, filepath.Join(home, ".cargo"))}
	for at := d.place.dir; ; at = filepath.Dir(at) {
		dirs = append(dirs, filepath.Join(at, ".cargo"))
		if at == filepath.Dir(at) {
			break
		}
	}
	seen := make(map[string]bool)
	for _, dir := range dirs {
		for _, name := range []string{"config.toml", "config"} {
			file := filepath.Join(dir, name)
			data, err := readSmall(file)
			if err != nil || seen[file] {
				continue
			}
			seen[file] = true
			for i, text := range strings.Split(string(data), "\n") {
				out = append(out, cargoLine{file, strings.TrimSpace(text), i + 1})
			}
		}
	}
	return out
}

// value is what the line sets a key to, if it is a string.
func (l cargoLine) value(key string) string {
	name, value, ok := strings.Cut(l.text, "=")
	name = strings.TrimSpace(name)
	if !ok || name != key && !strings.HasSuffix(name, "."+key) {
		return ""
	}
	value = strings.TrimSpace(value)
	if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	end := strings.IndexByte(value[1:], value[0])
	return value[1 : 1+max(0, end)]
}

// past says what the line names by its path, "" where it does not.
func (l cargoLine) past() string {
	path := l.value("linker")
	if !filepath.IsAbs(path) && !strings.HasPrefix(l.text, "#") {
		path = linkerIn(l.text)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return fmt.Sprintf("%s:%d names %s", l.file, l.line, path)
}
