package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PackOptions say what of a repository is packed for a machine that has nothing of it.
type PackOptions struct {
	Commit string // in hex, all of it
	Draft  Draft  // what a lane has upon it; the zero one is the commit alone
	Base   Base   // a branch that comes along with its history; the zero one is none
	On     string // a commit that whoever unpacks has, with its history; "" for none
	File   string // the bundle that is to be written
}

// Packed is a content of a repository in one git bundle, with what else a checkout of it
// depends on.
type Packed struct {
	Format  string   `json:"object-format"` // of its ids: sha1, sha256
	Commit  string   `json:"commit"`
	Tree    string   `json:"tree"`            // id of the whole content
	Draft   string   `json:"draft,omitempty"` // a commit upon Commit that holds what is not committed; "" where there is none of it
	Base    Base     `json:"base,omitzero"`
	On      string   `json:"on,omitempty"`      // a commit that has to be there before
	Empty   bool     `json:"empty,omitempty"`   // On has it all, and there is no file
	Shallow []string `json:"shallow,omitempty"` // commits whose parents nobody has

	Settings   [][2]string `json:"settings,omitempty"`   // of the repository's configuration: what a checkout depends on
	Attributes string      `json:"attributes,omitempty"` // its info/attributes
	Exclude    string      `json:"exclude,omitempty"`    // its info/exclude
}

// ErrAltered says that a lane is not any more as it was read.
var ErrAltered = errors.New("the lane changed while it was packed")

// Pack writes a commit with its history to a git bundle, and a lane's draft upon it as a
// commit more. Nothing is written in the repository. The error wraps ErrGone where the
// commit is not there, ErrAltered where the lane is not as the draft has it.
func Pack(ctx context.Context, l Lane, o PackOptions) (Packed, error) {
	p, err := packFrom(ctx, l, l.CommonDir, o)
	if err != nil {
		return Packed{}, fmt.Errorf("pack %.10s of lane %s: %w", o.Commit, l.Name, err)
	}
	for path, text := range map[string]*string{"info/attributes": &p.Attributes, "info/exclude": &p.Exclude} {
		data, err := os.ReadFile(filepath.Join(l.CommonDir, path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Packed{}, fmt.Errorf("pack %.10s of lane %s: %w", o.Commit, l.Name, err)
		}
		*text = string(data)
	}
	if p.Settings, err = checkoutSettings(ctx, l); err != nil {
		return Packed{}, fmt.Errorf("pack %.10s of lane %s: %w", o.Commit, l.Name, err)
	}
	return p, nil
}

// packer packs from a repository by one of its own, which borrows the other's objects:
// there a reference can be made, which a bundle needs, and objects written.
type packer struct {
	common string // the repository's directory
	tmp    string
	o      PackOptions
	p      Packed
}

// packFrom packs from a repository, whose lane is needed for a draft alone.
func packFrom(ctx context.Context, l Lane, common string, o PackOptions) (Packed, error) {
	tmp, err := os.MkdirTemp("", "gpuci-pack-")
	if err != nil {
		return Packed{}, err
	}
	defer os.RemoveAll(tmp)
	k := &packer{common: common, tmp: tmp, o: o, p: Packed{Commit: o.Commit, Base: o.Base, On: o.On, Format: "sha1"}}
	if len(o.Commit) == hexSHA256 {
		k.p.Format = "sha256"
	}
	if err := k.borrow(ctx); err != nil {
		return Packed{}, err
	}
	if o.Draft.Tree != "" {
		if err := k.commit(ctx, l); err != nil {
			return Packed{}, err
		}
	}
	if err := k.write(ctx); err != nil {
		return Packed{}, err
	}
	return k.p, nil
}

// git runs git in the packer's own repository.
func (k *packer) git(ctx context.Context, args ...string) (string, error) {
	cmd := gitIn(ctx, k.tmp, []string{"GIT_DIR=" + k.dir(), "GIT_NO_REPLACE_OBJECTS=1"}, append(quietOptions(), args...)...)
	out, err := outputOf(ctx, cmd, nil, args[0])
	return strings.TrimSpace(string(out)), err
}

func (k *packer) dir() string { return filepath.Join(k.tmp, "repository") }

// borrow makes the packer's repository, and finds the commit in it.
func (k *packer) borrow(ctx context.Context) error {
	if err := initBare(ctx, k.dir(), k.p.Format); err != nil {
		return err
	}
	alternates := filepath.Join(k.dir(), "objects", "info", "alternates")
	if err := os.WriteFile(alternates, []byte(quotePath(filepath.Join(k.common, "objects"))+"\n"), 0o600); err != nil {
		return err
	}
	shallow, err := os.ReadFile(filepath.Join(k.common, "shallow"))
	if err == nil {
		k.p.Shallow = strings.Fields(string(shallow))
		err = os.WriteFile(filepath.Join(k.dir(), "shallow"), shallow, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tree, err := k.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", k.o.Commit+"^{tree}")
	if exitCode(err) > 0 {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	k.p.Tree = tree
	return err
}

// initBare makes a repository that nobody has configured.
func initBare(ctx context.Context, dir, format string) error {
	args := []string{"init", "--quiet", "--bare", "--template="}
	if format != "sha1" { // an option of git 2.29
		args = append(args, "--object-format="+format)
	}
	cmd := gitIn(ctx, filepath.Dir(dir), nil, append(quietOptions(), append(args, "--", dir)...)...)
	_, err := outputOf(ctx, cmd, nil, "init")
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "objects", "info"), 0o700)
	}
	return err
}

// quotePath writes a path for git's list of alternates, in which one that begins with a
// quote is read as C reads a string.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// The references of a bundle. Where one is left out, since On has it, the ids tell.
const (
	packCommit = "refs/gpuci/commit"
	packDraft  = "refs/gpuci/draft"
	packBase   = "refs/gpuci/base"
)

// write writes the bundle of all that On has not.
func (k *packer) write(ctx context.Context) error {
	refs := []string{packCommit}
	at := map[string]string{packCommit: k.o.Commit, packDraft: k.p.Draft, packBase: k.o.Base.Commit}
	for _, ref := range []string{packDraft, packBase} {
		if at[ref] != "" {
			refs = append(refs, ref)
		}
	}
	for _, ref := range refs {
		if _, err := k.git(ctx, "update-ref", ref, at[ref]); err != nil {
			return err
		}
	}
	if k.o.On != "" {
		left, err := k.git(ctx, append(append([]string{"rev-list", "--count"}, refs...), "^"+k.o.On)...)
		if err != nil {
			return err
		}
		if k.p.Empty = left == "0"; k.p.Empty {
			return nil
		}
		refs = append(refs, "^"+k.o.On)
	}
	_, err := k.git(ctx, append([]string{"bundle", "create", "--quiet", k.o.File}, refs...)...)
	return err
}

// Beyond counts the commits that one has and another has not, of which the repository must
// have both: ErrGone where it has not.
func Beyond(ctx context.Context, l Lane, commit, on string) (int, error) {
	out, err := runGit(ctx, l, nil, "rev-list", "--count", "--end-of-options", commit, "^"+on)
	if err != nil {
		if exitCode(err) > 0 {
			err = fmt.Errorf("%w: %w", ErrGone, err)
		}
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// checkoutSettings are those of the repository's own configuration that say how files come
// out of it and go back: who unpacks has its user's alone.
func checkoutSettings(ctx context.Context, l Lane) (list [][2]string, err error) {
	out, err := runGit(ctx, l, nil, "config", "--local", "--list", "-z")
	if err != nil {
		return nil, err
	}
	plain := []string{"core.autocrlf", "core.eol", "core.symlinks", "core.filemode", "core.ignorecase", "core.precomposeunicode"}
	for _, item := range splitNUL(out) {
		key, value, _ := strings.Cut(item, "\n")
		if slices.Contains(plain, key) || strings.HasPrefix(key, "filter.") {
			list = append(list, [2]string{key, value})
		}
	}
	return list, nil
}
