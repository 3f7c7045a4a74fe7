package pressure

import (
	"testing"
	"time"
)

// What is told of the triggers is what a watch arms, on this machine's own files.
func TestTriggersAreThoseOfWatch(t *testing.T) {
	b, err := newBell(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	armErr := b.arm(Real, DefaultLimits(), Read(Real))
	armed := make(map[string]time.Duration)
	for _, tr := range b.triggers {
		armed[tr.resource] = tr.window
	}
	told := Triggers("")
	if len(told) != len(watched()) {
		t.Fatalf("told of %d triggers, want one for each of %v", len(told), watched())
	}
	failed := false
	for _, tr := range told {
		if (tr.Err == nil) != (tr.Window > 0) {
			t.Errorf("%s: window %v with error %v", tr.Resource, tr.Window, tr.Err)
		}
		if armErr == nil && armed[tr.Resource] != tr.Window {
			t.Errorf("%s: told %v, a watch has %v", tr.Resource, tr.Window, armed[tr.Resource])
		}
		failed = failed || tr.Err != nil
	}
	if armErr != nil && !failed {
		t.Errorf("a watch has none here (%v), and each of %+v was told", armErr, told)
	}
}

// A directory that is not the kernel's has levels and no triggers, and keeps its
// files as they were.
func TestTriggersOfCopy(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"io": quiet, "memory": quiet})
	for _, tr := range Triggers(dir) {
		if tr.Err == nil || tr.Window != 0 {
			t.Errorf("%+v of a copy", tr)
		}
	}
	if r := Read(dir); r.IO.Unknown != nil || r.Memory.Unknown != nil {
		t.Errorf("the files were changed: %v, %v", r.IO.Unknown, r.Memory.Unknown)
	}
}
