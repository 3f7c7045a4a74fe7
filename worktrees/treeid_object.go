package worktrees

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// objects is a git that hands out objects, one for each id it is asked.
type objects struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// openObjects starts it. It must be closed.
func openObjects(ctx context.Context, l Lane) (*objects, error) {
	cmd := gitCommand(ctx, l, nil, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("run git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run git cat-file: %w; install git 2.25 or later (apt-get install git)", err)
	}
	return &objects{cmd, in, bufio.NewReader(out)}, nil
}

// close ends the git. What it says then is of no interest: all that was asked
// has been answered.
func (o *objects) close() {
	_ = o.in.Close()
	_ = o.cmd.Wait()
}

// tree returns what a tree object holds, by name.
func (o *objects) tree(id string) (map[string]node, error) {
	data, err := o.read(id, "tree")
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	nodes, err := parseTree(data, len(id))
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	return nodes, nil
}

// read is the content of an object that must be of a kind.
func (o *objects) read(id, kind string) ([]byte, error) {
	if _, err := io.WriteString(o.in, id+"\n"); err != nil {
		return nil, err
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file ended: %w", err)
	}
	fields := strings.Fields(line) // id, kind, size; or id, "missing"
	if len(fields) != 3 {
		return nil, fmt.Errorf("git says %q; look with git fsck", strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	data := make([]byte, size+1) // and a newline
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, err
	}
	if fields[1] != kind { // it is read all the same, so that the next one can be
		return nil, fmt.Errorf("it is a %s; look with git fsck", fields[1])
	}
	return data[:size], nil
}

// node is one name in a tree object.
type node struct {
	mode string // as the object has it, without leading zeros
	id   string // hex
}

// directory is the mode of a tree in a tree.
const directory = "40000"

// parseTree reads a tree object: mode, a blank, name, a NUL and the id's bytes,
// for each name.
func parseTree(data []byte, width int) (map[string]node, error) {
	nodes := make(map[string]node)
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, said := strings.Cut(string(head), " ")
		if !ok || !said || mode == "" || name == "" || len(rest) < width/2 {
			return nil, fmt.Errorf("entry %d breaks off", len(nodes)+1)
		}
		nodes[name] = node{mode, hex.EncodeToString(rest[:width/2])}
		data = rest[width/2:]
	}
	return nodes, nil
}

// renderTree is the tree object of some names, in git's order: a directory
// sorts as if its name ended in a slash.
func renderTree(nodes map[string]node) ([]byte, error) {
	key := func(name string) string {
		if nodes[name].mode == directory {
			return name + "/"
		}
		return name
	}
	names := slices.SortedFunc(maps.Keys(nodes), func(a, b string) int { return strings.Compare(key(a), key(b)) })
	var data []byte
	for _, name := range names {
		id, err := hex.DecodeString(nodes[name].id)
		if err != nil {
			return nil, fmt.Errorf("name tree: id of %q: %w", name, err)
		}
		data = append(fmt.Appendf(data, "%s %s\x00", nodes[name].mode, name), id...)
	}
	return data, nil
}
