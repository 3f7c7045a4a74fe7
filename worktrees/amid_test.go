package worktrees

import (
	"errors"
	"testing"
)

// A git that stumbled over another one's worktree is run again, a bounded number of
// times; whatever else it says stands.
func TestAmid(t *testing.T) {
	half := errors.New("exit status 128: fatal: failed to read .git/worktrees/scratch-7b418fe06d64/commondir")
	gone := errors.New("fatal: could not create directory of '.git/worktrees/scratch-7b418fe06d64'")
	other := errors.New("fatal: '/somewhere' already exists")
	for _, tt := range []struct {
		says []error
		want error
		runs int
	}{
		{[]error{nil}, nil, 1},
		{[]error{half, gone, nil}, nil, 3},
		{[]error{other, nil}, other, 1},
		{[]error{half, other, nil}, other, 2},
		{[]error{half, half, half, half, half, half, half, half, half}, half, amidTries},
	} {
		runs := 0
		err := amid(t.Context(), func() error { runs++; return tt.says[runs-1] })
		if !errors.Is(err, tt.want) || runs != tt.runs {
			t.Errorf("%v: %v after %d runs", tt.says, err, runs)
		}
	}
}
