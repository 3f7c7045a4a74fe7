package worktrees

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// maxHolding bounds how many files of a commit Holding names.
	maxHolding = 1000
	// MaxText bounds a file that Texts reads, in bytes: no source is longer that a
	// person reads.
	MaxText = 1 << 20
	// maxTexts bounds all that it reads in one go.
	maxTexts = 64 << 20
)

// Holding names the text files of a commit or tree, below a directory of it, that
// have a text in them, by path from the lane's root; "" or "." is all of it. Files
// that git takes for binary are none, and neither is what a submodule has. more
// says that there are others beyond the first thousand.
func Holding(ctx context.Context, l Lane, tree, dir, text string) (paths []string, more bool, err error) {
	return grepFor(ctx, l, []string{"-I"}, tree, dir, text)
}

// HoldingAny is Holding over files of every kind, since .gitattributes can call any
// file binary, and a lane knows nothing of that; and of any of some texts, in whichever
// case.
func HoldingAny(ctx context.Context, l Lane, tree, dir string, texts ...string) (paths []string, more bool, err error) {
	return grepFor(ctx, l, []string{"-a", "-i"}, tree, dir, texts...)
}

func grepFor(ctx context.Context, l Lane, kind []string, tree, dir string, texts ...string) (paths []string, more bool, err error) {
	spec := ":(top,literal)" + filepath.ToSlash(filepath.Clean(dir))
	if dir == "" || filepath.Clean(dir) == "." {
		spec = ":(top)"
	}
	args := append([]string{"grep"}, kind...)
	args = append(args, "-l", "-z", "--full-name", "--fixed-strings")
	for _, text := range texts {
		args = append(args, "-e", text)
	}
	out, err := runGit(ctx, l, nil, append(args, tree, "--", spec)...)
	if exitCode(err) == 1 {
		return nil, false, nil
	}
	if err != nil {
		if ctx.Err() == nil && lacks(ctx, l, tree) {
			err = fmt.Errorf("%w: %w", err, ErrGone)
		}
		return nil, false, fmt.Errorf("look for %q in %.10s: %w", texts[0], tree, err)
	}
	for _, name := range splitNUL(out) {
		if len(paths) == maxHolding {
			return paths, true, nil
		}
		paths = append(paths, strings.TrimPrefix(name, tree+":"))
	}
	return paths, false, nil
}

// Texts reads some files of a commit or tree, as git has them, in one go, and
// leaves out those that it has not, that are no files, that are longer than
// MaxText, and, once there is very much of them, the rest. cut names the ones that
// are there and were left out.
func Texts(ctx context.Context, l Lane, tree string, paths []string) (texts map[string][]byte, cut []string, err error) {
	var in bytes.Buffer
	var asked []string
	for _, path := range paths {
		if strings.Contains(path, "\n") { // it would be two questions
			cut = append(cut, path)
			continue
		}
		fmt.Fprintf(&in, "%s:%s\n", tree, path)
		asked = append(asked, path)
	}
	texts = make(map[string][]byte)
	if len(asked) == 0 {
		return texts, cut, nil
	}
	cmd := gitCommand(ctx, l, nil, "cat-file", "--batch")
	cmd.Stdin = &in
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run git cat-file: %w", err)
	}
	read := bufio.NewReader(out)
	total := 0
	for _, path := range asked {
		var data []byte
		var there bool
		data, there, err = oneText(read, &total)
		switch {
		case err != nil:
		case there && data == nil:
			cut = append(cut, path)
		case there:
			texts[path] = data
		}
		if err != nil {
			break
		}
	}
	if err != nil { // it may still be writing
		_ = cmd.Cancel()
	}
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read files of %.10s: %w", tree, err)
	}
	return texts, cut, nil
}

// oneText takes one answer of git cat-file --batch: id, kind and size, and then the
// content with a line feed; or a question and "missing". data is nil for a file that
// is too long.
func oneText(in *bufio.Reader, total *int) (data []byte, there bool, err error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, false, err
	}
	fields := strings.Fields(line)
	if strings.HasSuffix(line, " missing\n") || len(fields) != 3 {
		return nil, false, nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 {
		return nil, false, errors.New("git cat-file gives no size")
	}
	if fields[1] != "blob" || size > MaxText || *total+size > maxTexts {
		_, err = io.CopyN(io.Discard, in, int64(size)+1)
		return nil, fields[1] == "blob", err
	}
	*total += size
	data = make([]byte, size+1)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, false, err
	}
	return data[:size], true, nil
}
