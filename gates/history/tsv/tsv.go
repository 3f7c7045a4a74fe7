// Package tsv is the history of a workspace as a file for git: one row for each
// series of each result, one line each, fields apart by tabs. It is appended to
// and never sorted or rewritten, so that a diff shows what was measured, and two
// branches that both append merge by keeping the lines of both
// (`*.tsv merge=union` in .gitattributes).
//
// It promises: a row is there whole or not at all; what stands in the file
// already is not touched, in whatever columns an older version wrote it.
//
// It does not run git and does not choose which results belong in the file.
package tsv

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a series of a result; a result without numbers is one row, with no
// metric.
type Row struct {
	Started                      time.Time
	Run, Gate, Outcome           string
	Lane, Branch, Commit         string
	Metric, Labels, Unit         string
	Count                        int
	Low, High, Last              float64
	Backend, Card, Profile, Host string
	Gpuci                        string
}

// columns are the fields of a row in the order of a new file. New ones are added
// at the end.
var columns = []string{
	"started", "run", "gate", "outcome", "lane", "branch", "commit", "metric", "labels", "unit",
	"count", "low", "high", "last", "backend", "card", "profile", "host", "gpuci",
}

// needed are the columns without which a row cannot be told from another.
var needed = []string{"run", "metric", "labels"}

// Key tells rows apart.
type Key struct{ Run, Metric, Labels string }

// Key is the row's.
func (r Row) Key() Key { return Key{r.Run, r.Metric, r.Labels} }

// field is one of the row's as text.
func (r Row) field(column string) string {
	switch column {
	case "started":
		return r.Started.UTC().Format(time.RFC3339)
	case "run":
		return r.Run
	case "gate":
		return r.Gate
	case "outcome":
		return r.Outcome
	case "lane":
		return r.Lane
	case "branch":
		return r.Branch
	case "commit":
		return r.Commit
	case "metric":
		return r.Metric
	case "labels":
		return r.Labels
	case "unit":
		return r.Unit
	case "backend":
		return r.Backend
	case "card":
		return r.Card
	case "profile":
		return r.Profile
	case "host":
		return r.Host
	case "gpuci":
		return r.Gpuci
	}
	return r.number(column)
}

// number is empty where the row has none, and exact where it has one.
func (r Row) number(column string) string {
	if r.Metric == "" {
		return ""
	}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch column {
	case "count":
		return strconv.Itoa(r.Count)
	case "low":
		return exact(r.Low)
	case "high":
		return exact(r.High)
	case "last":
		return exact(r.Last)
	}
	return ""
}

// line is the row under a file's columns.
func (r Row) line(header []string) string {
	fields := make([]string, len(header))
	for i, column := range header {
		fields[i] = escape(r.field(column))
	}
	return strings.Join(fields, "\t")
}

// escape and its reverse keep tabs and line ends out of the fields.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(s)
}

func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(s)
}

// ErrFormat says that a file is no history.
var ErrFormat = errors.New("no history file of gpuci")

// parseHeader takes the columns from a first line.
func parseHeader(line string) ([]string, error) {
	header := strings.Split(line, "\t")
	for _, column := range needed {
		if !slices.Contains(header, column) {
			return nil, fmt.Errorf("%w: its first line names no column %q", ErrFormat, column)
		}
	}
	return header, nil
}

// key takes the key from a line under a header; ok is false where the line has
// another number of fields.
func key(header []string, line string) (k Key, ok bool) {
	fields := strings.Split(line, "\t")
	if len(fields) != len(header) {
		return Key{}, false
	}
	at := func(column string) string { return unescape(fields[slices.Index(header, column)]) }
	return Key{at("run"), at("metric"), at("labels")}, true
}
