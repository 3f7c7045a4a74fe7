package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Field case 9: a working directory that was deleted, beside one that is
// really named so.
func TestDeletedOrNamedSo(t *testing.T) {
	dir := t.TempDir()
	lost, named := filepath.Join(dir, "lost"), filepath.Join(dir, "kept (deleted)")
	both := filepath.Join(dir, "both (deleted)") // named so, and deleted as well
	var pids [3]int
	for i, path := range []string{lost, named, both} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sleep", "600")
		cmd.Dir = path
		pids[i] = settled(t, launch(t, cmd))
	}
	for _, path := range []string{lost, both} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	scan, err := Real.Scan(ScanOptions{Cwd: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Place{{Path: lost, Deleted: true}, {Path: named}, {Path: both, Deleted: true}} {
		got, err := Real.Cwd(pids[i])
		if err != nil || !got.Known() || got.Path != want.Path || got.Deleted != want.Deleted {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if p := scan.Cwd[pids[i]]; p.Path != want.Path || p.Deleted != want.Deleted {
			t.Errorf("in a pass: got %+v, want %+v", p, want)
		}
	}
}

// A program that was deleted while a second hard link of it remains, as cargo
// makes them, has a link count and no name; one beside it is named so.
func TestDeletedExeWithAnotherLink(t *testing.T) {
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, named, second := filepath.Join(dir, "test-1"), filepath.Join(dir, "test-2 (deleted)"), filepath.Join(dir, "test")
	for _, p := range []string{path, named} {
		if err := os.WriteFile(p, sleep, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(path, second); err != nil {
		t.Fatal(err)
	}
	a := settled(t, launch(t, exec.Command(path, "600")))
	b := settled(t, launch(t, exec.Command(named, "600")))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if p, err := Real.Exe(a); err != nil || p.Path != path || !p.Deleted {
		t.Errorf("got %+v, %v; want %s, deleted", p, err, path)
	}
	if p, err := Real.Exe(b); err != nil || p.Path != named || p.Deleted {
		t.Errorf("got %+v, %v; want %s", p, err, named)
	}
}

// In fixtures the links lead to real files, so both answers can be had there.
func TestPlaceFixtures(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there (deleted)")
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	kernel := "13 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 30 0 0 20 0 1 0 2 0 0"
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x")}, links: map[string]string{"cwd": there, "exe": "/bin/sh"}},
		"13": {files: map[string]string{"stat": kernel}},
	})
	scan, err := root.Scan(ScanOptions{Exe: true, Cwd: true})
	if err != nil || len(scan.Table) != 2 {
		t.Fatalf("got %+v, %v", scan, err)
	}
	if p := scan.Cwd[12]; p.Path != there || p.Deleted || !p.Known() {
		t.Errorf("got %+v, want %s", p, there)
	}
	if p := scan.Exe[12]; p.Path != "/bin/sh" || !p.Known() {
		t.Errorf("got %+v, want /bin/sh", p)
	}
	if p := scan.Exe[13]; p.Answer != None || !scan.Table[13].Kernel {
		t.Errorf("got %+v of %+v, want none of a kernel thread", p, scan.Table[13])
	}
	if p, err := root.Exe(13); err != nil || p.Answer != None {
		t.Errorf("got %+v, %v; want none", p, err)
	}
	if p := scan.Cwd[99]; p.Answer != Unknown {
		t.Errorf("got %+v; a process that was not seen is unknown", p)
	}
}
