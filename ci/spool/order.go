package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gpuci/worktrees"
)

// Order is all that a node has to know of a task. Names of other things are from the place.
type Order struct {
	Type   string    `json:"type"` // always orderType
	Schema int       `json:"schema"`
	Cookie string    `json:"cookie"`
	Night  string    `json:"night"`
	At     time.Time `json:"at"`

	Gate   string   `json:"gate"`
	Config string   `json:"config"` // hash of its settings
	Dir    string   `json:"dir"`    // of gpuci.toml, from the root of the content
	Args   []string `json:"args,omitempty"`
	Strict bool     `json:"strict,omitempty"`
	ByHand bool     `json:"by-hand,omitempty"` // with the environment of who runs it

	Lane   string         `json:"lane"`
	Branch string         `json:"branch,omitempty"`
	Commit string         `json:"commit"`
	Tree   string         `json:"tree"`
	Base   worktrees.Base `json:"base,omitzero"`

	Content    string `json:"content,omitempty"` // key; "" where an archive goes along
	Archive    string `json:"archive,omitempty"` // key
	ArchiveSum string `json:"archive-sha256,omitempty"`
	Program    string `json:"program"`        // hash
	Version    string `json:"version"`        // of gpuci
	Past       bool   `json:"past,omitempty"` // the night has a snapshot of the history

	// Of an archive, which has no repository: which commits of the history are of the base
	// branch, and whether this one is.
	OnBase []string `json:"on-base,omitempty"`
	Here   bool     `json:"here,omitempty"`

	Scratch    string `json:"scratch,omitempty"`
	NoPressure bool   `json:"no-pressure,omitempty"`
	Verbose    bool   `json:"verbose,omitempty"`
}

const (
	orderType   = "gpuci-task"
	orderSchema = 1
	orderName   = "order.json"
	maxOrder    = 16 << 20 // bytes; the commits of a history of years are some 100 KiB
)

// readOrder reads the order of a task directory.
func (p place) readOrder(dir string) (Order, error) {
	data, err := p.read(filepath.Join(dir, orderName), maxOrder)
	if err != nil {
		return Order{}, err
	}
	return parseOrder(data)
}

func parseOrder(data []byte) (o Order, err error) {
	switch err = json.Unmarshal(data, &o); {
	case err != nil:
		return Order{}, fmt.Errorf("%s is torn: %w", orderName, err)
	case o.Type != orderType:
		return Order{}, fmt.Errorf("%s is none: its type is %q", orderName, o.Type)
	case o.Schema != orderSchema:
		return Order{}, fmt.Errorf("%s has form %d, and this gpuci reads form %d", orderName, o.Schema, orderSchema)
	case !cookieForm.MatchString(o.Cookie) || !nightForm.MatchString(o.Night):
		return Order{}, fmt.Errorf("%s names no task", orderName)
	case o.Dir != "" && !filepath.IsLocal(o.Dir):
		return Order{}, fmt.Errorf("the directory %q leads out of the content", o.Dir)
	case o.Commit == "" || o.Tree == "" || (o.Content == "") == (o.Archive == ""):
		return Order{}, errors.New(orderName + " names no content")
	}
	return o, nil
}

// makeNight makes the directories of the night, and nothing above them: where the place is
// gone, as with a disk that is no longer mounted, none is made in its stead.
func (s *Spool) makeNight() error {
	for _, dir := range []string{"", "results", "tasks"} {
		if err := os.Mkdir(filepath.Join(s.night, dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
