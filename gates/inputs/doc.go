// Package inputs says whether an outcome still stands: what the build of a
// gate's products read, what has changed since, and whether the products are
// this lane's at all.
//
// It promises to err on one side. A path counts as read unless the compilers'
// own dependency files name it for something else: a source that they tell of,
// in a language that they tell of, and that none of the products' builds opened.
// A test may read any other file while it runs, which no such file tells.
//
// What it does not see: what a gate reads outside the lane (a data set, an
// installed compiler, a registry's sources, which are fixed by the lock file),
// and what git ignores, unless a dependency file names it.
package inputs
