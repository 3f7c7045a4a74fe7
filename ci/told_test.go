package ci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
)

// TestMissed: of a gate that a night did not come to, the last outcome is told in the
// next night as in this one, also where it was another lane's; one of the very content
// is not called stale. Each is told once.
func TestMissed(t *testing.T) {
	s := newStage(t, oneGate+"[[gate]]\nname = \"late\"\nrun = [\"true\"]\nreader = \"none\"\nafter = [\"unit\"]\n")
	s.lane("mlp")
	at := s.git(s.dir, "rev-parse", "HEAD")
	if l := mustLane(t, s.night(), "mlp"); l.As != "main" {
		t.Fatalf("mlp is not run as main: %+v", l)
	}
	s.commit("mlp", "bad", "")
	for _, night := range []string{"the first", "the second"} {
		r := s.night()
		c := mustCell(t, r, "mlp", "late")
		if c.State != NotRun || c.Still != "" || !strings.HasPrefix(c.Stale, "green on ") || !strings.HasSuffix(c.Stale, at[:10]) {
			t.Errorf("%s night: %+v", night, c)
		}
		if text := textOf(t, r); strings.Count(text, "mlp late: ") != 1 || !strings.Contains(text, "\nstale\n  mlp late: not run: after unit, which is red; the last that is known, of other content, is green on ") {
			t.Errorf("%s night:\n%s", night, text)
		}
	}

	s.night(func(o *Options) { o.Lanes, o.Gates = []string{"mlp"}, []string{"late"} })
	r := s.night(func(o *Options) { o.Force = true })
	if c := mustCell(t, r, "mlp", "late"); c.State != NotRun || c.Stale != "" || c.Last == nil || c.Last.Outcome != gates.Green {
		t.Errorf("judged at this content: %+v", c)
	}
	if text := textOf(t, r); strings.Contains(text, "\nstale\n") || !strings.Contains(text, "\nnot run\n  mlp late: after unit, which is red; green as before, on ") {
		t.Errorf("judged at this content:\n%s", text)
	}
}

func textOf(t testing.TB, r Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStandsBehindLink: what ran in a scratch lane did so too where a symbolic link
// leads to the place of scratch lanes.
func TestStandsBehindLink(t *testing.T) {
	s := newStage(t, oneGate)
	link := filepath.Join(s.home, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", link)
	for _, want := range []State{Ran, Stands} {
		if c := mustCell(t, s.night(), "main", "unit"); c.State != want || c.Outcome != gates.Green {
			t.Errorf("got %s %s, want %s", c.State, c.Outcome, want)
		}
	}
}
