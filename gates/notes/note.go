package notes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gpuci/gates/config"
)

// Note is a note, and the file it stands in.
type Note struct {
	config.Note
	Path string // from the lane's root, with slashes
	Line int    // from 1
}

// At is where it stands.
func (n Note) At() string { return fmt.Sprintf("%s:%d", n.Path, n.Line) }

// ID tells a note from others, and from itself before it was renewed. Where it
// stands in its file is no part of it.
func (n Note) ID() string {
	n.Line = 0
	data, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// Conditions are those under which it stands, as they are written.
func (n Note) Conditions() (out []string) {
	if n.WhileRed != "" {
		out = append(out, "while-red "+n.WhileRed)
	}
	if len(n.WhileUnchanged) > 0 {
		out = append(out, fmt.Sprintf("while-unchanged %s since %s", strings.Join(n.WhileUnchanged, " "), n.Since))
	}
	if !n.Until.IsZero() {
		out = append(out, "until "+n.Until.Format(time.DateOnly))
	}
	if n.Expects != "" {
		out = append(out, "expects "+n.Expects)
	}
	return out
}

// Bad is what looks like a note and cannot be read.
type Bad struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	About string `json:"about,omitempty"` // as far as that could be told
	Why   string `json:"why"`
}

// At is where it stands.
func (b Bad) At() string { return fmt.Sprintf("%s:%d", b.Path, b.Line) }
