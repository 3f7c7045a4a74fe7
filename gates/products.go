package gates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/inputs"
	"gpuci/worktrees"
)

// products looks at the files the gate was judged by: those the configuration
// names, those the harness named, and a program of the lane that was run. What
// is another lane's, or older than its sources, says nothing of this lane.
func (f *flow) products(ctx context.Context, named []string, failed bool) {
	var list []inputs.Product
	for _, p := range f.productPaths(named, failed) {
		product, err := inputs.Examine(ctx, p)
		switch {
		case err == nil:
			list = append(list, product)
		case !errors.Is(err, inputs.ErrNoFile) && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil:
			f.mark("build product not hashed: " + err.Error())
		}
	}
	var tree worktrees.Tree // the zero one outside of git
	if f.opt.Lane.Root != "" {
		tree = worktrees.TreeOf(f.opt.Lane)
		tree.Target = f.opt.target(tree.Target)
	}
	read := f.inputs(tree, list)
	f.judgeProducts(ctx, tree, list, read)
	if made := f.kernelFiles(ctx); len(made) > 0 {
		// They were held against their sources by content, so nobody has to judge their
		// age. No dependency file tells of them: the outcome stands while the lane does.
		list = append(list, made...)
		read = f.inputs(tree, list)
	}
	f.snapshot(ctx, read)
	for _, p := range list {
		f.v.Bound.Products = append(f.v.Bound.Products, f.product(tree, p))
	}
}

// kernelFiles are the kernels' files.
func (f *flow) kernelFiles(ctx context.Context) (list []inputs.Product) {
	for _, p := range f.kernelProducts() {
		product, err := inputs.Examine(ctx, p)
		if err == nil {
			list = append(list, product)
		} else if ctx.Err() == nil {
			f.mark("build product not hashed: " + err.Error())
		}
	}
	return list
}

// productPaths are absolute, sorted, each once.
func (f *flow) productPaths(named []string, failed bool) (paths []string) {
	dir := filepath.Join(f.opt.Root, f.gate.Dir)
	for _, glob := range f.gate.Products {
		found, err := filepath.Glob(filepath.Join(f.opt.Root, glob))
		if (err != nil || len(found) == 0) && !failed {
			f.find(Broken, fmt.Sprintf("no build product matches %s", glob))
			f.next("products are globs from the directory of gpuci.toml: is it built, and spelt so?")
		}
		paths = append(paths, found...)
	}
	for _, p := range named {
		paths = append(paths, within(dir, p))
	}
	for _, c := range f.gate.Run {
		if len(c.Argv) > 0 && c.Shell == "" && strings.Contains(c.Argv[0], "/") {
			paths = append(paths, within(dir, c.Argv[0]))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// inputs are what the build of the products read.
func (f *flow) inputs(tree worktrees.Tree, list []inputs.Product) inputs.Inputs {
	paths := make([]string, len(list))
	for i, p := range list {
		paths[i] = p.Path
	}
	return inputs.Of(paths, cmp.Or(tree.Root, f.opt.Root), tree.Target, f.opt.Root, filepath.Join(f.opt.Root, f.gate.Dir))
}

// judgeProducts finds products that are not of this lane's sources.
func (f *flow) judgeProducts(ctx context.Context, tree worktrees.Tree, list []inputs.Product, read inputs.Inputs) {
	if len(list) == 0 || tree.Root == "" {
		return
	}
	site := inputs.Site{Lane: tree, Begun: f.v.Started, Getenv: os.Getenv, Builds: len(f.gate.Build) > 0}
	site.Lanes = []worktrees.Tree{site.Lane}
	if linked(f.opt.Lane) {
		lanes, err := LanesHere(ctx, f.opt.Lane)
		if err != nil {
			f.mark("not all lanes are known, so whose the build products are is not: " + err.Error())
		}
		site.Lanes = append(slices.DeleteFunc(lanes, func(t worktrees.Tree) bool { return t.Root == site.Lane.Root }), site.Lane)
		site.Earlier = f.earlier(ctx)
	}
	complaints, err := inputs.Judge(ctx, list, read, site)
	if err != nil && ctx.Err() == nil {
		f.mark("whose the build products are is not known: " + err.Error())
	}
	for _, c := range complaints {
		if c.Kind == inputs.Clock || c.Kind == inputs.Perhaps {
			f.mark(c.Text)
			continue
		}
		f.v.Outdated = f.v.Outdated || c.Kind == inputs.Older
		f.find(Broken, c.Text)
		f.next(c.Next)
	}
}

// linked says whether a repository has linked worktrees at all: listing them
// costs a git.
func linked(l worktrees.Lane) bool {
	entries, err := os.ReadDir(filepath.Join(l.CommonDir, "worktrees"))
	return err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0
}

// maxEarlier bounds how many results are looked at for the products of other
// lanes: some 10 ms.
const maxEarlier = 200

// earlier are the products that the last runs judged and took for their lane's.
func (f *flow) earlier(ctx context.Context) (out []inputs.Earlier) {
	store, err := f.opt.History.Store()
	if err != nil || f.opt.Trial != "" { // the lane's own runs judged the same bytes, of sources without the fault
		return nil
	}
	latest, err := store.Latest(ctx)
	if err != nil {
		return nil
	}
	for r, err := range store.Results(ctx, history.Query{Limit: maxEarlier, Believed: true}) {
		if err != nil {
			break
		}
		latest = append(latest, r)
	}
	for _, r := range latest {
		if r.Run == f.v.Run || r.Outcome == string(Broken) { // that one may have judged ours
			continue
		}
		doubted := inputs.Doubted(r.Marks)
		for _, p := range r.Products {
			out = append(out, inputs.Earlier{Lane: f.opt.laneOf(r), Path: within(r.Root, p.Path), SHA256: p.SHA256, BuildID: p.BuildID, Built: p.Built, Doubted: doubted, Sources: f.sourcesOf(r)})
		}
	}
	return out
}

// sourcesOf says which of the sources of a run are otherwise in our lane; nil
// where it did not write them down.
func (f *flow) sourcesOf(r history.Result) func(context.Context) (inputs.Change, error) {
	if f.draft == nil {
		return nil
	}
	return func(ctx context.Context) (inputs.Change, error) {
		snap, err := snapshotOf(runDirs(f.opt.Lane, f.opt.Root), r.Run)
		if err != nil {
			return inputs.Change{}, err
		}
		return snap.Sources(ctx, f.opt.Lane, f.draft(), config.FileName)
	}
}

// snapshot keeps what the lane held, for a later look to tell whether the outcome
// still stands.
func (f *flow) snapshot(ctx context.Context, read inputs.Inputs) {
	if f.opt.Lane.Root == "" || f.v.Bound.Unread || f.draft == nil {
		return
	}
	s, err := inputs.Take(ctx, f.opt.Lane, inputs.Before{Draft: f.draft(), Raw: f.raw, At: f.v.Started}, read)
	if err != nil {
		f.opt.detail("whether this outcome goes stale will not be told: %v", err)
		return
	}
	if list := s.Meanwhile(); len(list) > 0 {
		f.mark("changed while the gate ran, where git does not see it: " + few(list) + "; run it again")
	}
	f.rec.json(inputs.FileName, s)
}

// product is one as the verdict has it.
func (f *flow) product(tree worktrees.Tree, p inputs.Product) Product {
	out := Product{Product: p}
	if _, ours := worktrees.Of([]worktrees.Tree{tree}, p.Path); ours {
		out.Lane = tree.Name
	}
	if rel, err := filepath.Rel(f.opt.Root, p.Path); err == nil && filepath.IsLocal(rel) {
		out.Path = rel
	}
	return out
}
