package simt

import (
	"bytes"
	"context"
	"path/filepath"
)

// preprocess has the compiler make of a unit's text what is then compiled, with all that
// it includes. That text is what an object is found again by. Which file a line
// #include names, and whether it counts, is the compiler's to say: it depends on where
// that line stands, on macros, comments, -I, CPATH and what lies in any of these
// directories today.
func (o Options) preprocess(ctx context.Context, c compiler, u *unit, headers string) error {
	room, leave, err := enter(o.Dir)
	if err != nil {
		return err
	}
	defer leave()
	argv, err := o.searching(c, *u, headers)
	if err != nil {
		return err
	}
	// -g would have the directory that the compiler stands in among the lines.
	argv = append(argv, "-E", "-g0", filepath.Join(room, "unit.cpp"))
	var text bytes.Buffer
	if err := o.compiler(ctx, *u, filepath.Join(room, "unit.cpp"), u.text, argv, &text); err != nil {
		return err
	}
	u.whole = text.String()
	return nil
}

// searching is how the compiler is called to look for what a unit includes.
func (o Options) searching(c compiler, u unit, headers string) ([]string, error) {
	dir, err := filepath.Abs(u.dir)
	if err != nil {
		return nil, err
	}
	argv := append([]string{c.path}, u.flags...)
	argv = append(argv, "-iquote", dir)
	for _, include := range o.Include {
		if include, err = filepath.Abs(include); err != nil {
			return nil, err
		}
		argv = append(argv, "-I", include)
	}
	argv = append(argv, "-I", headers)
	if u.first != "" {
		argv = append(argv, "-include", filepath.Join(headers, u.first))
	}
	return argv, nil
}
