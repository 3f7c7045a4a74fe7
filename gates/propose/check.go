package propose

import (
	"fmt"
	"os"
	"path/filepath"

	"gpuci/gates/config"
)

// Check says whether a text loads as a workspace's gpuci.toml, by itself,
// without the machine's and the user's own file. What is wrong with it is a
// config.Problems.
func Check(text string) error {
	_, err := load(text)
	return err
}

// load reads a text as config does: from a file, in a directory of its own.
func load(text string) (*config.Config, error) {
	dir, err := os.MkdirTemp("", "gpuci-propose")
	if err != nil {
		return nil, fmt.Errorf("make a directory to check the text in: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write the text to check it: %w", err)
	}
	return config.Load(config.Sources{Workspace: file})
}
