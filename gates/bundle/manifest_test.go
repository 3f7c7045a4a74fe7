package bundle

import (
	"path/filepath"
	"strings"
	"testing"
)

// No manifest, however it was made, leads out of its directory.
func FuzzParse(f *testing.F) {
	const sum = `"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`
	for _, path := range []string{"a", "a/../../b", "/a", `a\\b`, "", ".", "a//b", "a/", "MANIFEST.json", "../a"} {
		f.Add([]byte(`{"type":"gpuci-bundle","schema":1,"gates":[{"name":"g","kernel-files":["` + path + `"]}],"files":[{"path":"` + path + `",` + sum + `,"bytes":0}],"dirs":["` + path + `"]}`))
	}
	f.Add([]byte(`{"type":"gpuci-bundle","schema":2}`))
	f.Add([]byte(`{"type":"gpuci-bundle","schema":1,"gates":[{}],"files":[]} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for _, file := range m.Files {
			joined := filepath.Join("/bundle", filepath.FromSlash(file.Path))
			if !strings.HasPrefix(joined, "/bundle/") || seen[joined] || file.Path == ManifestName {
				t.Errorf("%q was accepted", file.Path)
			}
			seen[joined] = true
		}
		again, err := m.data()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(again); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}
