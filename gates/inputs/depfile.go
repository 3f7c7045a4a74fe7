package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxDepFile bounds one dependency file. The largest of real builds, C++ with
// every header of a framework, stay below 1 MiB.
const maxDepFile = 16 << 20

// DepFile is what a compiler wrote down about the files that it read.
type DepFile struct {
	Rules []Rule
	// Env are the variables that the source read while it was compiled, which
	// rustc adds as comments ("# env-dep:NAME=value"); "" for one that was not set.
	Env map[string]string
}

// Rule says what some outputs are made from.
type Rule struct {
	Outputs, Inputs []string
}

// ParseDeps reads the makefile that compilers write with -MD and its kin (gcc,
// clang, nvcc, rustc) and cargo writes beside its products: rules of the form
// "output: input input", a backslash before the end of a line continuing it.
//
// A name's blanks, "#" and ":" have a backslash before them, where a blank's own
// backslashes are doubled, and "$" is written twice. rustc escapes nothing but
// blanks: "#" within a name stands for itself. The error says where a file has
// something other than rules.
func ParseDeps(data []byte) (DepFile, error) {
	var d DepFile
	s := depScanner{data: data}
	for !s.done() {
		if line, ok := s.comment(); ok {
			d.addEnv(line)
			continue
		}
		r, any, err := s.rule()
		if err != nil {
			return DepFile{}, err
		}
		if any {
			d.Rules = append(d.Rules, r)
		}
	}
	return d, nil
}

// readDeps reads and parses a dependency file. It waits for nobody who might write
// to a FIFO in its place.
func readDeps(path string) (DepFile, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return DepFile{}, fmt.Errorf("read dependency file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxDepFile+1))
	}
	if err == nil && len(data) > maxDepFile {
		err = errors.New("it is larger than any compiler writes one")
	}
	var d DepFile
	if err == nil {
		d, err = ParseDeps(data)
	}
	if err != nil {
		return DepFile{}, fmt.Errorf("read dependency file %s: %w", path, err)
	}
	return d, nil
}

// addEnv takes in a comment.
func (d *DepFile) addEnv(comment string) {
	said, ok := strings.CutPrefix(comment, "# env-dep:")
	if !ok {
		return
	}
	name, value, _ := strings.Cut(said, "=")
	if d.Env == nil {
		d.Env = make(map[string]string)
	}
	d.Env[name] = envEscapes.Replace(value)
}

// envEscapes undoes what rustc does to a value so that it fits on a line.
var envEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")

// depScanner takes rules off a dependency file one after another.
type depScanner struct {
	data []byte
	at   int
}

func (s *depScanner) done() bool { return s.at >= len(s.data) }

// peek is the byte at an offset from here, a newline past the end.
func (s *depScanner) peek(offset int) byte {
	if s.at+offset >= len(s.data) {
		return '\n'
	}
	return s.data[s.at+offset]
}

// comment takes a line that begins with "#".
func (s *depScanner) comment() (string, bool) {
	if s.peek(0) != '#' {
		return "", false
	}
	line, _, _ := bytes.Cut(s.data[s.at:], []byte("\n"))
	s.at += len(line) + 1
	return strings.TrimSuffix(string(line), "\r"), true
}

// rule takes one rule and the end of its line. any is false for a line with
// nothing on it.
func (s *depScanner) rule() (r Rule, any bool, err error) {
	begun, said := s.at, false
	for s.blanks(); s.peek(0) != '\n'; s.blanks() {
		if !said && s.colon() {
			s.at++
			said = true
			continue
		}
		if name := s.name(!said); said {
			r.Inputs = append(r.Inputs, name)
		} else {
			r.Outputs = append(r.Outputs, name)
		}
	}
	s.at++
	if !said && len(r.Outputs) > 0 || said && len(r.Outputs) == 0 {
		return Rule{}, false, fmt.Errorf("byte %d: %.60q is no rule of the form \"output: input\"", begun, s.data[begun:min(s.at, len(s.data))])
	}
	return r, said, nil
}
