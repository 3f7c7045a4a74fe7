package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// moves says where the history file was: its place is what gpuci.toml says, and a
// commit that moves it changes both.
type moves struct {
	file  tsvFile
	dir   string            // of gpuci.toml, from the lane's root
	asked map[string]string // by commit
	names []string          // all places it had, the one it has now first
}

// maxMoves bounds how many changes of gpuci.toml are looked at, unless all are
// asked for: each costs some git, of 10 ms.
const maxMoves = 50

// moved finds the places that the file had from after since to HEAD.
func (f tsvFile) moved(ctx context.Context, root, since string, all bool) (*moves, error) {
	dir, err := filepath.Rel(f.lane.Root, root)
	if err != nil {
		return nil, err
	}
	m := &moves{file: f, dir: filepath.ToSlash(dir), asked: make(map[string]string), names: []string{f.name}}
	commits := []string{"HEAD"}
	if since != "" {
		commits = append(commits, since)
	}
	steps, err := worktrees.Steps(ctx, f.lane, since, "HEAD", path.Join(m.dir, config.FileName))
	if err != nil {
		return nil, err
	}
	if !all && len(steps) > maxMoves {
		steps = steps[:maxMoves]
	}
	for _, step := range steps {
		commits = append(append(commits, step.Commit), step.Parents...)
	}
	for _, commit := range commits {
		name, err := m.ask(ctx, commit)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(m.names, name) {
			m.names = append(m.names, name)
		}
	}
	return m, nil
}

// at is where the file was in a commit.
func (m *moves) at(ctx context.Context, commit string) (string, error) {
	if len(m.names) == 1 {
		return m.file.name, nil
	}
	return m.ask(ctx, commit)
}

// ask reads it from the commit's gpuci.toml. One that says nothing, or that this
// gpuci cannot read, moves nothing.
func (m *moves) ask(ctx context.Context, commit string) (string, error) {
	if name, asked := m.asked[commit]; asked {
		return name, nil
	}
	name := m.file.name
	dir, data, err := m.settings(ctx, commit)
	if err != nil {
		return "", err
	}
	if data != nil {
		cfg, err := config.Load(config.Sources{Workspace: filepath.Join(m.file.lane.Root, dir, config.FileName), Text: data})
		if err == nil && cfg.History.TSV != "" {
			name = path.Join(dir, filepath.ToSlash(cfg.History.TSV))
		}
	}
	m.asked[commit] = name
	return name, nil
}

// settings is a commit's gpuci.toml, and the directory it is in: ours, else the
// one of a gpuci.toml that is not there any more, if there is one such. data is nil
// where there is none.
func (m *moves) settings(ctx context.Context, commit string) (dir string, data []byte, err error) {
	read := func(dir string) ([]byte, error) {
		data, there, err := worktrees.FileAt(ctx, m.file.lane, commit, path.Join(dir, config.FileName))
		if errors.Is(err, worktrees.ErrAstray) || err == nil && !there {
			return nil, nil
		}
		return append([]byte{}, data...), err
	}
	if data, err = read(m.dir); err != nil || data != nil {
		return m.dir, data, err
	}
	every, err := worktrees.Between(ctx, m.file.lane, "", commit)
	if err != nil {
		return "", nil, err
	}
	var gone []string
	for _, d := range every {
		_, err := os.Lstat(filepath.Join(m.file.lane.Root, d.To.Path))
		if path.Base(d.To.Path) == config.FileName && errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, path.Dir(d.To.Path))
		}
	}
	if len(gone) != 1 {
		return m.dir, nil, nil
	}
	data, err = read(gone[0])
	return gone[0], data, err
}

// steps are the commits that touch the file at any of its places, the newest first
// as far as one place goes. Git leaves out those before them that do not touch a
// place, so that what a commit came from is put together of all.
func (m *moves) steps(ctx context.Context, since string) (out []worktrees.Step, err error) {
	at := make(map[string]int)
	for _, name := range m.names {
		list, err := worktrees.Steps(ctx, m.file.lane, since, "HEAD", name)
		if err != nil {
			return nil, err
		}
		for _, step := range list {
			i, known := at[step.Commit]
			if !known {
				at[step.Commit], out = len(out), append(out, step)
				continue
			}
			out[i].Parents = append(out[i].Parents, step.Parents...)
		}
	}
	return out, nil
}
