package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bank is what a comparison of two arms must meet, to be an answer and to be banked.
type Bank struct {
	Samples    int               // the fewest of each arm
	Most       int               // of each arm; where that says nothing, nothing will
	Seeds      int               // the fewest that differ, for a quality metric and for a decision
	Steps      int               // the fewest numbers that a sample's time is the median of
	Warm       int               // numbers of each run that are left out before them
	Confidence float64           // that an arm like the base is called neither a win nor worse, 0 to 1
	Least      float64           // a difference below it is a tie, as a share
	Seek       float64           // the difference that is to be found, as a share
	MostThrown float64           // of all runs; above it there is no answer, as a share
	Profile    string            // that a gate must have whose times are banked
	Quiet      bool              // nobody else on the card in any sample that counts
	Age        time.Duration     // after which a decision is to be looked at again
	TSV        string            // file for git, relative to Root
	Quality    []string          // metrics that a win in time must not lose: "loss", or "accuracy:higher:0.5%" with the loss that counts for nothing
	Flags      map[string]string // what makes an arm the default, by name: "config:FILE:PATTERN" and so on
}

// The defaults are those of gates/ab/judge, where they are argued; a decision of a
// quarter ago was made by another driver and other code around it.
const (
	defaultBankSamples    = 20
	defaultBankMost       = 2000
	defaultBankSeeds      = 8
	defaultBankSteps      = 1
	defaultBankConfidence = 0.99
	defaultBankLeast      = 0.01
	defaultBankSeek       = 0.03
	defaultBankThrown     = 0.5
	defaultBankProfile    = "release"
	defaultBankAge        = 90 * day
	defaultBankTSV        = "bank.tsv"

	maxBankSamples = 100_000
	day            = 24 * time.Hour
)

func defaultBank() Bank {
	return Bank{
		Samples: defaultBankSamples, Most: defaultBankMost, Seeds: defaultBankSeeds, Steps: defaultBankSteps,
		Confidence: defaultBankConfidence, Least: defaultBankLeast, Seek: defaultBankSeek, MostThrown: defaultBankThrown,
		Profile: defaultBankProfile, Quiet: true, Age: defaultBankAge, TSV: defaultBankTSV,
	}
}

// bank reads [bank].
func (l *layer) bank(f *fields) {
	if !f.only("bank", l.role == workspace, "the workspace's "+FileName+": its rules are the workspace's") {
		return
	}
	t := f.sub("bank", "[bank] above its lines")
	if t == nil {
		return
	}
	b := &l.config.Bank
	t.whole("samples", 4, maxBankSamples, &b.Samples)
	most := t.whole("most", 4, maxBankSamples, &b.Most)
	if b.Most < b.Samples {
		if most == nil {
			most = t.table.get("samples")
		}
		t.bad(most, "write most above samples", "leaves fewer samples (%d) than an answer needs (%d)", b.Most, b.Samples)
	}
	t.whole("seeds", 1, maxBankSamples, &b.Seeds)
	t.whole("steps", 1, 1<<30, &b.Steps)
	t.whole("warm", 0, 1<<30, &b.Warm)
	t.below("confidence", "99%", 1, &b.Confidence)
	t.percent("least-effect", "1%", &b.Least)
	if t.table.get("seek") == nil {
		b.Seek = max(b.Seek, 3*b.Least)
	}
	if e := t.percent("seek", "3%", &b.Seek); e != nil && b.Seek <= b.Least {
		t.bad(e, "write seek above least-effect", "must be above least-effect: what is below that is a tie")
	}
	t.below("most-thrown", "50%", 1, &b.MostThrown)
	t.word("profile", `"release"`, &b.Profile)
	t.truth("quiet", &b.Quiet)
	t.days("age", &b.Age)
	if e := t.text("tsv", `"bank.tsv"`, &b.TSV); e != nil && t.inside(e, e.value) && strings.HasSuffix(e.value.text, "/") {
		t.bad(e, `write tsv = "bank.tsv"`, "names a directory")
	}
	if e, items := t.texts("quality", `["loss"]`); e != nil {
		b.Quality = nil
		for _, item := range items {
			if !qualityForm.MatchString(item.text) {
				t.add(item.span, `write quality = ["loss", "accuracy:higher:0.5%"]`, "%q in %s is no quality: %s", "quality", t.label, quoted(item.text))
				continue
			}
			b.Quality = append(b.Quality, item.text)
		}
	}
	t.flags(b)
	t.done()
}

// qualityForm is that of a quality: a metric, which way it is better, and the loss of it
// that counts for nothing.
var qualityForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+(:lower|:higher)?(:[0-9]{1,2}(\.[0-9]+)?%)?$`)

// flags reads what makes an arm the default, under names of the workspace's own.
func (f *fields) flags(b *Bank) {
	t := f.sub("flags", `flags = { fused = "env:FUSED=1" }`)
	if t == nil {
		return
	}
	for _, e := range t.table.keys {
		switch {
		case e.value.kind != isString:
			t.wrong(e, "a string", tomlKey(clip(e.key))+` = "env:FUSED=1"`)
		case !flagForm.MatchString(e.value.text):
			t.bad(e, `write "config:FILE:PATTERN", "env:K=V" or "arg:WORD"`, "is no flag: %s", quoted(e.value.text))
		default:
			t.note(e)
			if b.Flags == nil {
				b.Flags = make(map[string]string)
			}
			b.Flags[e.key] = e.value.text
		}
	}
}

// flagForm is that of a flag. What its file and its pattern are is for the one who looks.
var flagForm = regexp.MustCompile(`^(config:[^:]+:.+|env:[^=]+=.*|arg:.+)$`)

// below reads a percentage under a share.
func (f *fields) below(key, example string, most float64, into *float64) {
	was := *into
	if e := f.percent(key, example, into); e != nil && *into >= most {
		f.bad(e, "write "+key+" = "+strconv.Quote(example), "must be below %v%%", 100*most)
		*into = was
	}
}

// days reads a number of days, "90d", or any other length of time.
func (f *fields) days(key string, into *time.Duration) {
	const hint = `write "90d" or "12h"`
	var text string
	e := f.text(key, `"90d"`, &text)
	if e == nil {
		return
	}
	var d time.Duration
	number, ok := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(number, 10, 16) // 65,535 days are no decision's
	if d = time.Duration(n) * day; !ok {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d <= 0 {
		f.bad(e, hint, "is no length of time: %s", quoted(text))
		return
	}
	*into = d
}

// bank writes the rules, where any is the workspace's own.
func (p *printer) bank(b Bank) {
	said := false
	for key := range p.config.origins {
		said = said || strings.HasPrefix(key, "bank.")
	}
	if !said {
		return
	}
	p.table("[bank]", place{}.in("bank"))
	p.line("samples", strconv.Itoa(b.Samples))
	p.line("most", strconv.Itoa(b.Most))
	p.line("seeds", strconv.Itoa(b.Seeds))
	p.line("steps", strconv.Itoa(b.Steps))
	p.line("warm", strconv.Itoa(b.Warm))
	p.line("confidence", tomlPercent(b.Confidence))
	p.line("least-effect", tomlPercent(b.Least))
	p.line("seek", tomlPercent(b.Seek))
	p.line("most-thrown", tomlPercent(b.MostThrown))
	p.line("profile", tomlString(b.Profile))
	p.line("quiet", strconv.FormatBool(b.Quiet))
	p.line("age", tomlDays(b.Age))
	p.line("tsv", tomlString(b.TSV))
	p.strings("quality", b.Quality)
	if len(b.Flags) > 0 {
		p.table("[bank.flags]", place{}.in("bank").in("flags"))
		for _, name := range slices.Sorted(maps.Keys(b.Flags)) {
			p.line(name, tomlString(b.Flags[name]))
		}
	}
}

// tomlDays is a length of time as days reads it.
func tomlDays(d time.Duration) string {
	if d%day == 0 {
		return tomlString(strconv.FormatInt(int64(d/day), 10) + "d")
	}
	return tomlDuration(d)
}
