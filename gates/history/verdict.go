package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// verdict is what the history takes from a verdict.json of schema 1 and later:
// fields are only ever added there.
type verdict struct {
	Type     string    `json:"type"`
	Run      string    `json:"run"`
	Gate     string    `json:"gate"`
	Outcome  string    `json:"outcome"`
	Exit     int       `json:"exit"`
	Partial  bool      `json:"partial"`
	Owed     *Owed     `json:"owed"`
	Built    bool      `json:"built"`
	Findings []Finding `json:"findings"`
	Marks    []string  `json:"marks"`
	Repeat   *Repeat   `json:"repeat"`
	Tests    *Tests    `json:"tests"`
	Metrics  []summary `json:"metrics"`
	Bars     []judged  `json:"bars"`
	Scope    []Scope   `json:"scope"`
	Notes    []Note    `json:"notes"`
	Used     *Used     `json:"used"`
	Links    *struct {
		Links
		Past []json.RawMessage `json:"past"`
	} `json:"links"`
	Held    float64   `json:"held-seconds"`
	Stall   *Stall    `json:"stall"`
	Bound   bound     `json:"bound"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Dir     string    `json:"dir"`
}

// bound is what a verdict holds for.
type bound struct {
	Lane     string    `json:"lane"`
	Root     string    `json:"root"`
	Commit   string    `json:"commit"`
	Branch   string    `json:"branch"`
	Changes  string    `json:"changes"`
	Tree     string    `json:"tree"`
	Config   string    `json:"config"`
	Products []Product `json:"products"`
	Profile  string    `json:"profile"`
	Backend  string    `json:"backend"`
	Tools    []Tool    `json:"tools"`
	Card     string    `json:"card"`
	Driver   string    `json:"driver"`
	Host     string    `json:"host"`
	Kernel   string    `json:"kernel"`
	Gpuci    string    `json:"gpuci"`
}

// summary is a metric there: its lowest and highest numbers, whatever their
// labels; and by their labels, where they were kept apart.
type summary struct {
	Metric string     `json:"metric"`
	Count  int        `json:"count"`
	Low    sample     `json:"low"`
	High   sample     `json:"high"`
	Unit   string     `json:"unit"`
	Series []ofSeries `json:"series"`
}

// ofSeries is what was measured of one series. A number that was none is null.
type ofSeries struct {
	Metric
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// judged is a bar there, with what each series was held against.
type judged struct {
	Metric string `json:"metric"`
	Within []struct {
		Labels   string `json:"labels"`
		Standing string `json:"standing"`
	} `json:"within"`
}

type sample struct {
	Value  float64           `json:"value"`
	Unit   string            `json:"unit"`
	Labels map[string]string `json:"labels"`
}

// FromVerdict makes a result of a gate's verdict, in its form as JSON.
func FromVerdict(data []byte) (Result, error) {
	r, err := readVerdict(data)
	if err != nil {
		return r, fmt.Errorf("read verdict: %w", err)
	}
	return r, nil
}

// trialType is that of a verdict.json which is none of the gate's own outcomes: a
// fault was planted in what it judged.
const trialType = "trial"

var errTrial = errors.New("it is a trial, and no outcome of the gate")

// readVerdict makes a result of a verdict.json.
func readVerdict(data []byte) (Result, error) {
	var v verdict
	if err := json.Unmarshal(data, &v); err != nil {
		return Result{}, err
	}
	if v.Type == trialType {
		return Result{}, errTrial
	}
	if v.Type != "verdict" || v.Run == "" || v.Gate == "" || v.Outcome == "" {
		return Result{}, errors.New("it is no verdict of a gate")
	}
	b := v.Bound
	r := Result{
		Run: v.Run, Gate: v.Gate, Lane: b.Lane, Root: b.Root, Outcome: v.Outcome, Exit: v.Exit, Partial: v.Partial, Owed: v.Owed, Built: v.Built,
		Started: v.Started, Seconds: v.Seconds, Commit: b.Commit, Branch: b.Branch, Changes: b.Changes, Tree: b.Tree, Config: b.Config,
		Profile: b.Profile, Backend: b.Backend, Card: b.Card, Driver: b.Driver, Host: b.Host, Kernel: b.Kernel, Gpuci: b.Gpuci,
		Marks: v.Marks, Findings: v.Findings, Repeat: v.Repeat, Tests: v.Tests, Scope: v.Scope, Notes: v.Notes, Tools: b.Tools, Products: b.Products,
		Used: v.Used, Stall: v.Stall, Held: v.Held, Dir: v.Dir,
	}
	if v.Links != nil {
		v.Links.Links.Past = len(v.Links.Past)
		r.Links = &v.Links.Links
	}
	for _, m := range v.Metrics {
		r.Metrics = append(r.Metrics, m.metrics()...)
	}
	for i, m := range r.Metrics {
		r.Metrics[i].First = v.first(m)
	}
	return r, nil
}

// first says whether later numbers of the series are held against this one.
func (v verdict) first(m Metric) bool {
	for _, b := range v.Bars {
		for _, w := range b.Within {
			if b.Metric == m.Metric && w.Labels == m.Labels && w.Standing == "first" {
				return true
			}
		}
	}
	return false
}

// metrics are the series that the two numbers belong to. Where they have
// different labels, each is one number of its own series, and what else was
// measured in either is not known.
func (m summary) metrics() (list []Metric) {
	if len(m.Series) > 0 {
		for _, s := range m.Series {
			if s.Low == nil || s.High == nil {
				continue
			}
			s.Metric.Metric, s.Metric.Unit, s.Metric.Low, s.Metric.High = m.Metric, m.Unit, *s.Low, *s.High
			list = append(list, s.Metric)
		}
		return list
	}
	low, high := m.Low.metric(m.Metric), m.High.metric(m.Metric)
	if low.Labels != high.Labels || low.Unit != high.Unit {
		return []Metric{low, high}
	}
	low.Count, low.High, low.Last = m.Count, high.High, nil
	if low.Low == low.High {
		low.Last = &low.High
	}
	return []Metric{low}
}

func (s sample) metric(name string) Metric {
	return Metric{Metric: name, Labels: series(s.Labels), Unit: s.Unit, Count: 1, Low: s.Value, High: s.Value, Last: &s.Value}
}

// series writes labels as gates/metric does: in the order of their names, and
// quoted where a value could run into the next.
func series(labels map[string]string) string {
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		v := labels[k]
		if v == "" || strings.ContainsFunc(v, runsOn) {
			v = strconv.Quote(v)
		}
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(k + "=" + v)
	}
	return out.String()
}

func runsOn(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
