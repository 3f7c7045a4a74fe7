package host

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReal reads all sources below the directories of GPUCI_HOSTS, and says how much of
// them was understood. It is for packages that nobody here wrote.
func TestReal(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("GPUCI_HOSTS"))
	if len(dirs) == 0 {
		t.Skip("needs GPUCI_HOSTS, a list of directories with sources")
	}
	for _, dir := range dirs {
		sum := make(map[string]int)
		start := time.Now()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if _, ok := languageOf(path); err != nil || d.IsDir() || !ok {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f := Read(path, string(text))
			tally(sum, f, len(text))
			if os.Getenv("GPUCI_HOSTS_SHOW") != "" && len(f.Modules)+len(f.Lookups)+len(f.Launches)+len(f.Unread) > 0 {
				out, _ := json.MarshalIndent(f, "", " ")
				t.Logf("%s", out)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s: %v in %v", dir, sum, time.Since(start).Round(time.Millisecond))
	}
}

func tally(sum map[string]int, f File, bytes int) {
	sum["bytes"] += bytes
	sum["files"]++
	sum["modules"] += len(f.Modules)
	sum["lookups"] += len(f.Lookups)
	sum["unread"] += len(f.Unread)
	for _, u := range f.Unread {
		if strings.HasPrefix(u.Why, "it is too tangled") {
			sum["given up"]++
		}
	}
	for _, l := range f.Lookups {
		if len(l.Modules) > 0 || l.Key != "" {
			sum["lookups with a module"]++
		}
	}
	for _, l := range f.Launches {
		sum["launches"]++
		if len(l.Kernels) > 0 {
			sum["launches with a kernel"]++
		}
		if l.ArgsKnown {
			sum["launches with arguments"]++
		}
		if l.Block != nil {
			sum["launches with a block"]++
		}
		for _, a := range l.Args {
			sum["arguments"]++
			if a.Size > 0 {
				sum["arguments with a size"]++
			}
		}
	}
}
