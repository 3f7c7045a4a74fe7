package gates

import (
	"context"
	"errors"
	"path/filepath"

	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// Bundled is where a gate comes from that has no lane: an archive that was made in one
// and unpacked here. Package bundle fills it in.
type Bundled struct {
	ID      string // of the archive
	Commit  string // that it was made at, with what is below; "" outside of git
	Branch  string
	Changes string // hash of what was not committed
	Changed []string
	Tree    string
	Carried

	// Stands says how its content stands to the base branch, where whoever made it could ask
	// a repository; nil: every run of the history counts.
	Stands *Standing

	// Sound says whether everything is as it was packed. It is asked before anything
	// runs, and again when all is over. What is not is an *UnsoundError. came are files,
	// from the bundle's directory, that were not packed, and are no program.
	Sound func(context.Context) (came []string, err error)
}

// Standing is how a content stands to the base branch.
type Standing struct {
	Base worktrees.Base
	On   []string // commits of the history that are of it
	Here bool     // the content is one of them
}

// Carried is what the build of a gate leaves for a run of it elsewhere, beside files.
type Carried struct {
	Marks       []string        `json:"marks,omitempty"` // that the build got
	Tools       []Tool          `json:"tools,omitempty"` // that it used; without their paths
	Kernels     []KernelSum     `json:"kernels,omitempty"`
	KernelFiles []string        `json:"kernel-files,omitempty"` // from the directory of gpuci.toml
	Samples     []metric.Sample `json:"samples,omitempty"`      // the numbers of the kernels
	Falsified   *Falsified      `json:"falsified,omitempty"`    // whether it has shown that it can be red
}

// UnsoundError says why a bundle cannot be run from.
type UnsoundError struct {
	Outcome Outcome // Broken where it is not as it was packed, Refused where the machine does not fit
	Text    string
	Next    string // what to do
}

func (e *UnsoundError) Error() string { return e.Text }

// doBundle looks at the bundle before anything of it runs.
func (f *flow) doBundle(ctx context.Context) StepState {
	b := f.opt.Bundle
	if b == nil {
		return StepNone
	}
	came, err := b.Sound(ctx)
	var unsound *UnsoundError
	switch {
	case err == nil:
		if len(came) > 0 {
			f.mark("what was not packed lies in the bundle, and the run may read it: " + few(came))
		}
		f.v.Kernels = b.Kernels
		return StepDone
	case errors.As(err, &unsound):
		f.find(unsound.Outcome, unsound.Text)
		f.next(unsound.Next)
	case ctx.Err() == nil:
		f.find(Broken, "whether the bundle is as it was packed cannot be told: "+err.Error())
		f.next("unpack it again")
	}
	return StepFailed
}

// bindBundle binds the verdict to what the bundle was made of.
func (f *flow) bindBundle() {
	b, from := &f.v.Bound, f.opt.Bundle
	b.Bundle, b.Commit, b.Branch, b.Changes, b.Changed, b.Tree = from.ID, from.Commit, from.Branch, from.Changes, from.Changed, from.Tree
	for _, m := range from.Marks {
		f.mark("when it was bundled: " + m)
	}
}

// rebindBundle looks at the bundle again after the run. What was wrong before has been
// said.
func (f *flow) rebindBundle(ctx context.Context) {
	if f.run == nil {
		return
	}
	if _, err := f.opt.Bundle.Sound(ctx); err != nil {
		f.mark("the bundle changed while the gate ran: " + err.Error())
	}
}

// kernelFiles are the files of its kernels here.
func (b *Bundled) kernelFiles(root string) (paths []string) {
	for _, p := range b.KernelFiles {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(p)))
	}
	return paths
}

// bundled is the state of a step that whoever made the bundle has done, of so many
// commands or sets.
func (f *flow) bundled(n int) StepState {
	if f.opt.Bundle != nil && n > 0 {
		return StepBundled
	}
	return StepNone
}

// fromBundle is what was known when the bundle was made; nil without one.
func (f *flow) fromBundle() *Falsified {
	b := f.opt.Bundle
	switch {
	case b == nil:
		return nil
	case b.Falsified == nil:
		return &Falsified{Of: len(f.gate.Faults), Unknown: "it was bundled without a history"}
	}
	x := *b.Falsified
	return &x
}
