//go:build linux

package main_test

import (
	"os"
	"strings"
	"testing"
)

// A script stands in front of a tool, and the tool calls its own name anew, for a
// directory below: that is the script once more, as it is without us.
func TestShimWrapperAgain(t *testing.T) {
	const makefile = "all:\n\tcd sub && make\n" // by its name
	for name, c := range map[string]struct {
		tools   []string
		wrapper string // with REAL for the tool behind it
		line    string
	}{
		"make, in its place":  {[]string{"make"}, "exec REAL \"$@\"", "make"},
		"make, below it":      {[]string{"make"}, "REAL \"$@\"", "make"},
		"make, by a shell":    {[]string{"make"}, "sh -c 'REAL \"$@\"; exit $?' make \"$@\"", "make"},
		"ninja, in its place": {[]string{"ninja"}, "exec REAL \"$@\"", "ninja"},
		"ninja, below it":     {[]string{"ninja"}, "REAL \"$@\"", "ninja"},
		"samu, which is none": {[]string{"samu", "ninja"}, "exec REAL \"$@\"", "samu"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			real := shimNeeds(t, c.tools[len(c.tools)-1])
			wrapper := "#!/bin/sh\necho wrapped >>" + dir + "/calls\n" + strings.ReplaceAll(c.wrapper, "REAL", real) + "\n"
			shimFile(t, dir+"/bin/"+c.tools[0], wrapper)
			r := rigOver(t, dir+"/bin:/usr/bin:/bin")
			shimFile(t, r.dir+"/Makefile", makefile)
			shimFile(t, r.dir+"/sub/Makefile", "all:\n\techo made >made\n")
			shimFile(t, r.dir+"/build.ninja", "rule sub\n command = "+c.tools[0]+" -C sub\nbuild all: sub\n")
			shimFile(t, r.dir+"/sub/build.ninja", "rule make\n command = echo made >made\nbuild made: make\n")
			r.must(t, c.line)
			if readAll(t, r.dir+"/sub/made") == "" {
				t.Error("nothing was made")
			}
			if got := readAll(t, dir+"/calls"); got != "wrapped\nwrapped\n" {
				t.Errorf("the script was called as %q, want it twice", got)
			}
		})
	}
}

// A script that stands in front of a compiler calls us by our path: it is not
// called again, and the compiler behind it is, wherever we stand on PATH.
func TestShimWrapperCallsUs(t *testing.T) {
	for name, call := range map[string]string{"in its place": "exec", "below it": "", "by a shell": "sh -c 'exec \"$@\"' -", "by env": "env A=1"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			shimFile(t, dir+"/wrap/gcc", "")
			shimFile(t, dir+"/bin/gcc", "#!/bin/sh\necho compiled \"$@\"\n")
			r := rigOver(t, dir+"/wrap:"+dir+"/bin:/usr/bin:/bin")
			shimFile(t, dir+"/wrap/gcc", "#!/bin/sh\n[ -e "+dir+"/called ] && exit 3\n>"+dir+"/called\n"+call+" "+r.shims.Path+"/gcc \"$@\"\n")
			for _, line := range []string{"gcc -c a.c", "gcc -c a.c; rm " + dir + "/called; gcc -c a.c"} {
				_ = os.Remove(dir + "/called")
				if out := r.must(t, line); strings.Trim(strings.ReplaceAll(out, "compiled -c a.c\n", ""), "\n") != "" {
					t.Errorf("%s: %q", line, out)
				}
			}
		})
	}
}
