package inputs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"gpuci/worktrees"
)

// Judge says what is wrong with the products that a gate judged. in is what Of
// said of them. The error is the context's.
//
// Whose a product is shows in its path; in the directories that the compiler wrote
// into it; and in the runs of other lanes that judged the same file, or the same
// bytes, of other sources than are here. A release build without debug information
// has nothing but the last, and then is said to be another lane's perhaps. One that
// the gate's own build wrote is this lane's, whatever bytes came of it, and so is
// one that a compiler wrote down here what it read for. A prebuilt product of which no dependency file tells
// is not said to be old.
func Judge(ctx context.Context, products []Product, in Inputs, site Site) ([]Complaint, error) {
	var all []Complaint
	for _, p := range products {
		whose, err := site.whose(ctx, p, in)
		if err != nil {
			return all, fmt.Errorf("judge product %s: %w", p.Path, err)
		}
		sure := slices.ContainsFunc(whose, func(c Complaint) bool { return c.Kind != Perhaps })
		if all = append(all, whose...); !sure {
			all = append(all, site.age(p, in)...)
		}
	}
	return slices.CompactFunc(all, func(a, b Complaint) bool { return a.Kind == b.Kind && a.Text == b.Text }), nil
}

// whose says whether a product is another lane's.
func (s Site) whose(ctx context.Context, p Product, in Inputs) ([]Complaint, error) {
	path := p.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if owner, ok := worktrees.Of(s.Lanes, path); ok && owner.Root != s.Lane.Root {
		return []Complaint{s.foreign(p, fmt.Sprintf("%s is lane %s's build product, not lane %s's: it is in %s",
			s.display(p.Path), owner.Name, s.Lane.Name, holder(owner, path)))}, nil
	}
	if c, ok := s.shared(p, path); ok {
		return []Complaint{c}, nil
	}
	if _, ours := below(s.Lane.Root, path); ours && len(s.others()) == 0 {
		return nil, nil
	}
	origin, where, err := s.origin(ctx, p, in)
	if err != nil {
		return nil, err
	}
	if origin == "" {
		return s.copied(ctx, p, in)
	}
	return []Complaint{s.foreign(p, fmt.Sprintf("%s holds code that was built in lane %s (%s), and was judged for lane %s",
		s.display(p.Path), origin, where, s.Lane.Name))}, nil
}

// shared says whether another lane builds where a product is.
func (s Site) shared(p Product, path string) (Complaint, bool) {
	target := s.Lane.Target
	for _, t := range s.others() {
		if _, inside := below(target, path); inside && t.Target == target {
			return s.sharedWith(p, target, t.Name), true
		}
	}
	for _, e := range s.Earlier {
		known := slices.ContainsFunc(s.others(), func(t worktrees.Tree) bool { return t.Name == e.Lane })
		if known && (e.Path == path || e.Path == p.Path) {
			c := s.sharedWith(p, filepath.Dir(path), e.Lane)
			if e.SHA256 == p.SHA256 {
				c.Text += fmt.Sprintf("; what ran is the very file that lane %s's last run judged", e.Lane)
			}
			return c, true
		}
	}
	return Complaint{}, false
}

func (s Site) sharedWith(p Product, dir, other string) Complaint {
	set := s.setBy()
	text := fmt.Sprintf("lanes %s and %s build in one directory, %s", s.Lane.Name, other, dir)
	if set != "" {
		text += " (" + set + ")"
	}
	text += ": cargo takes what one of them built for the other's, if the other's files are older"
	return Complaint{Shared, p.Path, text, s.ownTarget()}
}

func (s Site) foreign(p Product, text string) Complaint {
	if set := s.setBy(); set != "" {
		text += "; the target directory is " + s.Lane.Target + " (" + set + ")"
	}
	return Complaint{Foreign, p.Path, text, s.ownTarget()}
}

// ownTarget is what to do about a product of somebody else's.
func (s Site) ownTarget() string {
	return fmt.Sprintf("give each lane a target directory of its own, as cargo does by itself (%s), and build again",
		filepath.Join(s.Lane.Root, "target"))
}

// holder is which of a lane's directories a path is in.
func holder(t worktrees.Tree, path string) string {
	if _, inside := below(t.Target, path); inside {
		return t.Target
	}
	return t.Root
}

// display is a path as a reader of the lane would say it.
func (s Site) display(path string) string {
	if rel, ok := below(s.Lane.Root, path); ok {
		return rel
	}
	return path
}
