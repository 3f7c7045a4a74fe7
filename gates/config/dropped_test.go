package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A number of links that a file asks for and does not get is told, with its line.
func TestDropped(t *testing.T) {
	for _, tt := range []struct {
		machine, personal, workspace string
		want                         []string
	}{
		{"", "", "", nil},
		{"", "", "\nlinks = 4", []string{"gpuci.toml:2 4"}},
		{"", "links = 1", "", nil},
		{"links = 2", "links = 0x4", "links = 3", []string{"personal.toml:1 0x4", "gpuci.toml:1 3"}},
		{"links = 4", "links = 2", "links = 3", []string{"gpuci.toml:1 3"}},
		{"links = 4", "", "links = 4", nil},
	} {
		src := sourcesIn(t.TempDir())
		write(t, src.Machine, tt.machine)
		write(t, src.Personal, tt.personal)
		write(t, src.Workspace, tt.workspace)
		c := mustLoad(t, src)
		var got []string
		for _, d := range c.Dropped() {
			got = append(got, fmt.Sprintf("%s:%d %s", filepath.Base(d.File), d.Line, d.Links))
			if text := d.String(); !strings.Contains(text, "links = "+d.Links+" is not taken") || !strings.Contains(text, "/etc/gpuci.toml") {
				t.Errorf("says %q", text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got): %s", tt, diff)
		}
		if len(c.Pending()) != 0 {
			t.Errorf("%+v: pending %q", tt, c.Pending())
		}
	}
}
