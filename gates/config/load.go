package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds a file, in bytes. A gate is about thirty lines, so this is
// room for a thousand of them, and no generated file of a night comes near.
const maxFile = 1 << 20

// Load reads the files and merges them: the workspace's values go before the
// personal ones, those before the machine's, those before the defaults. The
// one exception is links, which a workspace can only lower.
//
// Where a file's content is wrong, or over maxFile, the error is Problems and
// holds the mistakes of all files; where a file cannot be read it wraps
// ErrUnreadable. Both are the user's to mend.
func Load(src Sources) (*Config, error) {
	root, err := filepath.Abs(filepath.Dir(src.Workspace))
	if err != nil {
		return nil, fmt.Errorf("find workspace of %s: %w", src.Workspace, err)
	}
	c := defaults()
	c.Root = root
	c.Workspace.Name = strings.ToValidUTF8(filepath.Base(root), "?")
	var all Problems
	for _, file := range []struct {
		path string
		role role
	}{{src.Machine, machine}, {src.Personal, personal}, {src.Workspace, workspace}} {
		data, err := src.read(file.path, file.role)
		if file.path == "" && file.role != workspace {
			continue
		}
		optional := file.role == personal || file.role == machine && !src.Named
		if optional && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, cannot(fmt.Sprintf("read %s file", file.role), err)
		}
		name := file.path
		if file.role == workspace {
			name = filepath.Base(name)
		}
		all = append(all, merge(c, file.role, name, data)...)
	}
	if len(all) == 0 {
		all = c.agree()
	}
	if len(all) > 0 {
		all.sort()
		return nil, all
	}
	return c, nil
}

// read is a file's content, or the one that is given instead.
func (s Sources) read(path string, r role) (string, error) {
	if r == workspace && s.Text != nil {
		return string(s.Text[:min(len(s.Text), maxFile+1)]), nil
	}
	return read(path)
}

// read returns a file's content, or just more than maxFile of it.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	// A pipe or a socket could block for ever. /dev/null is a usual way to say "none".
	if !info.Mode().IsRegular() && info.Mode()&os.ModeCharDevice == 0 {
		return "", fmt.Errorf("%s %w", path, errNoFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return string(data), err
}

// role is whose file it is.
type role string

const (
	machine   role = "machine"
	personal  role = "personal"
	workspace role = "workspace"
)

// layer is one file on its way into a Config.
type layer struct {
	*report
	config *Config
	role   role
}

// merge puts what a file says over what is there, and returns what is wrong with it.
func merge(c *Config, who role, name, data string) Problems {
	r := &report{text: newText(name, data)}
	if len(data) > maxFile {
		r.add(span{}, "keep data in files of its own", "the file is over %d MiB", maxFile>>20)
		return r.problems
	}
	if root := document(r); root != nil {
		l := &layer{report: r, config: c, role: who}
		l.top(root)
		l.noteDropped(root)
	}
	return r.problems
}
