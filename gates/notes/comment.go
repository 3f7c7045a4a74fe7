package notes

import (
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// Marker begins a note in a comment.
const Marker = "gpuci:note"

const (
	maxLine = 4 << 10 // bytes: a note is a sentence
	maxBad  = 100     // in a file
	maxIn   = 1000    // notes in a file
)

// commented is a line that holds nothing but a comment that begins with a note: the
// opening of a comment in any language that has such, the marker, and a first key.
// Prose about notes has no key there.
var commented = regexp.MustCompile(`^[ \t]*(?://[/!]*|/\*[*!]*|\*+|#+!?|--+|;+|%+|!+|<!--|\(\*+|\{-|@?(?i:rem)[ \t]|dnl[ \t])[ \t]*` + Marker + `[ \t]+([a-z][a-z-]*=.*?)[ \t]*(?:\*+[/)]|-->|-\})?[ \t]*$`)

// Holds says whether a file of this name can have notes.
func Holds(name string) bool {
	if path.Base(name) == "CMakeLists.txt" {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".txt", ".html", ".htm", ".txtar":
		return false
	}
	return !slices.Contains(strings.Split(name, "/"), "testdata")
}

// In finds the notes of a file, whose path is from the lane's root.
func In(name string, data []byte) (list []Note, bad []Bad) {
	if !Holds(name) || !speaks(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, nil
	}
	in := func(int) bool { return true }
	if path.Ext(name) == ".go" {
		in = goComments(data)
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // the mark of an encoding
		}
		if len(line) > maxLine {
			line = line[:maxLine+1]
		}
		m := commented.FindSubmatch(line)
		switch why := ""; {
		case !speaks(line) || !in(number):
			continue
		case m == nil:
			if why = oddly(name, line); why != "" && len(bad) < maxBad {
				bad = append(bad, Bad{Path: name, Line: number, Why: why})
			}
			continue
		}
		n, err := parse(string(m[1]))
		if err == nil && len(line) > maxLine {
			err = fmt.Errorf("it is longer than %d bytes", maxLine)
		}
		n.Path, n.Line = name, number
		switch {
		case err != nil && len(bad) < maxBad:
			bad = append(bad, Bad{name, number, n.About, err.Error()})
		case err == nil && len(list) < maxIn:
			if n.About == "" {
				n.About = name
			}
			list = append(list, n)
		}
	}
	return list, bad
}

// goComments says of the lines of a Go file whether they are in comments.
func goComments(data []byte) func(line int) bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, scanner.ScanComments)
	lines := make(map[int]bool)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return func(line int) bool { return lines[line] }
		}
		if tok != token.COMMENT {
			continue
		}
		first := file.PositionFor(pos, false).Line
		for i := range 1 + strings.Count(text, "\n") {
			lines[first+i] = true
		}
	}
}

// parse reads the keys of a note. What it could read of a wrong one comes with the
// error.
func parse(text string) (n Note, err error) {
	seen := make(map[string]bool)
	err = metric.Pairs(text, func(key, value string) error {
		if seen[key] {
			return fmt.Errorf("%s= is given twice", key)
		}
		seen[key] = true
		if strings.TrimSpace(value) == "" || !utf8.ValidString(value) {
			return fmt.Errorf("%s= is empty, or no text", key)
		}
		return n.set(key, value)
	})
	if err == nil {
		err = n.whole()
	}
	return n, err
}

func (n *Note) set(key, value string) (err error) {
	switch key {
	case "text":
		n.Text = value
	case "owner":
		n.Owner = value
	case "about":
		n.About = value
	case "while-red":
		n.WhileRed = value
	case "since":
		n.Since, err = value, config.CheckCommit(value)
	case "until":
		n.Until, err = time.Parse(time.DateOnly, value)
	case "expects":
		n.Expects = value
		_, err = config.ParsePrediction(value)
	case "while-unchanged":
		for _, p := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
			if err := config.CheckNotePath(p); err != nil {
				return fmt.Errorf("%s= %w", key, err)
			}
			n.WhileUnchanged = append(n.WhileUnchanged, path.Clean(filepath.ToSlash(p)))
		}
	default:
		return fmt.Errorf("%.40s= is no key of a note: text, owner, about, while-red, while-unchanged, since, until, expects", key)
	}
	if err != nil {
		return fmt.Errorf("%s= %w", key, err)
	}
	return nil
}

// whole finds what is missing.
func (n *Note) whole() error {
	switch {
	case n.Text == "":
		return errors.New(`it has no text="…"`)
	case n.Owner == "":
		return errors.New("it has no owner=")
	case len(n.WhileUnchanged) > 0 != (n.Since != ""):
		return errors.New("while-unchanged= and since= belong together")
	case len(n.Conditions()) == 0:
		return errors.New("it has no condition, so it would never expire: while-red=, while-unchanged= with since=, until= or expects=")
	case n.Expects != "" && n.About == "":
		return errors.New("expects= needs about=, the gate that prints these numbers")
	}
	return nil
}
