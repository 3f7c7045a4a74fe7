package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Move puts the same scratch lane to another commit, which costs what differs
// between the two. It is clean then: what was changed, untracked or ignored is
// removed, but the target directory is kept, and so are submodules that are at
// the right commit already. Notes and Env are of the new commit.
//
// With an error the scratch lane is somewhere between: move it again or remove
// it.
func (s *Scratch) Move(ctx context.Context, commit string) error {
	if err := s.move(ctx, commit); err != nil {
		return fmt.Errorf("move scratch lane of %s to %.10s: %w", s.From, commit, err)
	}
	return nil
}

func (s *Scratch) move(ctx context.Context, commit string) error {
	commit, err := resolveCommit(ctx, s.Lane, commit)
	if err != nil {
		return err
	}
	kept := filepath.Join(s.place.dir, "kept")
	if !there(kept) {
		if err := rename(s.Target, kept); err != nil {
			return fmt.Errorf("keep the target directory: %w", err)
		}
	}
	if err := s.putAt(ctx, commit); err != nil {
		if ctx.Err() != nil {
			return err
		}
		// A gate may have left directories that nobody may write to.
		if root, open := os.OpenRoot(s.place.dir); open == nil {
			makeWritable(root)
			root.Close()
		}
		if err := s.putAt(ctx, commit); err != nil {
			return err
		}
	}
	if err := s.fill(ctx, commit); err != nil {
		return err
	}
	if err := s.chooseTarget(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.Target), 0o755); err != nil {
		return err
	}
	if there(s.Target) && there(kept) { // the commit has files of its own there
		s.remark("what was built is not kept: %q is part of the commit", s.Target)
		return os.RemoveAll(kept)
	}
	return rename(kept, s.Target)
}

// putAt checks a commit out, sparse where NewScratch would.
func (s *Scratch) putAt(ctx context.Context, commit string) error {
	patterns := filepath.Join(s.GitDir, "info", "sparse-checkout")
	was := there(patterns)
	sparse := s.settings.yes("core.sparsecheckout") && readHead(ctx, s.from).commit == commit
	if !was && !sparse {
		return s.clean(ctx, s.Lane, commit)
	}
	text := []byte("/*\n") // every file: those that are left out come back
	options := []string{"-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=false"}
	if sparse {
		var err error
		if text, err = os.ReadFile(filepath.Join(s.from.GitDir, "info", "sparse-checkout")); err != nil {
			return err
		}
		options = nil
	}
	if err := os.MkdirAll(filepath.Dir(patterns), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(patterns, text, 0o644); err != nil {
		return err
	}
	if err := s.clean(ctx, s.Lane, commit, options...); err != nil {
		return err
	}
	if _, err := s.place.git(ctx, s.Lane, nil, append(options, "read-tree", "-mu", "HEAD")...); err != nil {
		return err
	}
	if !sparse {
		return os.Remove(patterns)
	}
	return nil
}

// clean puts a checkout to a commit, with nothing else in it.
func (s *Scratch) clean(ctx context.Context, l Lane, commit string, options ...string) error {
	_ = os.Remove(filepath.Join(l.GitDir, "index.lock")) // of a git that was killed in there
	if _, err := s.place.git(ctx, l, nil, append(options, "checkout", "--quiet", "--force", "--detach", commit, "--")...); err != nil {
		return fmt.Errorf("check out %.10s: %w", commit, err)
	}
	if _, err := s.place.git(ctx, l, nil, "clean", "--quiet", "-ffdx"); err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	return nil
}
