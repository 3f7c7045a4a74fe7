package proc

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Every reader says ErrGone of a pid that nobody has.
func TestEveryReaderSaysGone(t *testing.T) {
	const none = 1 << 30
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, read := range map[string]func() error{
		"Stat":        func() error { _, err := Real.Stat(none); return err },
		"Status":      func() error { _, err := Real.Status(none); return err },
		"Exe":         func() error { _, err := Real.Exe(none); return err },
		"Cwd":         func() error { _, err := Real.Cwd(none); return err },
		"Namespaces":  func() error { _, err := Real.Namespaces(none); return err },
		"FDs":         func() error { _, _, err := Real.FDs(none); return err },
		"IO":          func() error { _, err := Real.IO(none); return err },
		"WaitChannel": func() error { _, err := Real.WaitChannel(none); return err },
		"KernelStack": func() error { _, err := Real.KernelStack(none); return err },
		"Cmdline":     func() error { _, err := Real.Cmdline(ctx, none); return err },
		"Environ":     func() error { _, err := Real.Environ(ctx, none); return err },
		"Identity":    func() error { _, err := Real.Identity(none); return err },
	} {
		if err := read(); !errors.Is(err, ErrGone) {
			t.Errorf("%s: got %v, want ErrGone", name, err)
		}
	}
}
