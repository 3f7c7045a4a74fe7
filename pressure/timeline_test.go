package pressure

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const line = `{"time":"2026-11-30T01:02:03.004Z","seconds":1.0003,"cpu-some":0.1235,"io-some":1,"io-full":0.86,` +
	`"memory-some":0,"memory-full":0,"own-io-some":0.5,"own-io-full":0.25,"own-cpu":0.75,"busy":0.9,"waiting":true}`

func TestPointJSON(t *testing.T) {
	known := func(v float64) Share { return Share{v, true} }
	p := Point{
		Time:   time.Date(2026, 11, 30, 2, 2, 3, 4_999_999, time.FixedZone("", 3600)),
		Length: time.Second + 312*time.Microsecond,
		CPU:    Shares{Some: known(0.12345)}, IO: Shares{known(1), known(0.86)}, Memory: Shares{known(0), known(0.00001)},
		OwnIO: Shares{known(0.5), known(0.25)}, OwnCPU: known(0.75), Busy: known(0.9), Waiting: true,
	}
	got, err := json.Marshal(p)
	if err != nil || string(got) != line {
		t.Errorf("got  %s, %v\nwant %s", got, err, line)
	}
	var back Point
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	p.Time, p.Length = time.Date(2026, 11, 30, 1, 2, 3, 4e6, time.UTC), time.Second+300*time.Microsecond
	p.CPU.Some.Value, p.Memory.Full.Value = 0.1235, 0
	if d := cmp.Diff(p, back); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	// What is unknown, and what is no share, is not written as 0.
	p = Point{Time: p.Time, Length: time.Second, IO: Shares{known(math.NaN()), known(1.5)}, Busy: Share{Value: 0.5}}
	const bare = `{"time":"2026-11-30T01:02:03.004Z","seconds":1}`
	if got, err := json.Marshal(p); err != nil || string(got) != bare {
		t.Errorf("got %s, %v, want %s", got, err, bare)
	}
	if err := json.Unmarshal([]byte(`{"time":"2026-11-30T01:02:03.004Z","seconds":1,"gpu":7}`), &back); err != nil || back.IO.Full.Known || back.Waiting {
		t.Errorf("with a field of another day: %+v, %v", back, err)
	}
	for _, text := range []string{
		`{}`, `{"time":"2026-11-30T01:02:03Z"}`, `{"seconds":1}`, `null`, `[]`, `{"time":"now","seconds":1}`,
		strings.Replace(line, "0.86", "1.01", 1), strings.Replace(line, "0.86", "-0.01", 1), strings.Replace(line, "0.86", `"0.86"`, 1),
		strings.Replace(line, "1.0003", "-1", 1), strings.Replace(line, "1.0003", "1e300", 1),
		strings.Replace(line, "2026-11-30T01:02:03.004Z", "0000-01-01T00:00:00+01:00", 1),
	} {
		var got Point
		if err := json.Unmarshal([]byte(text), &got); text != "null" && err == nil || got != (Point{}) {
			t.Errorf("%s gave %+v, %v", text, got, err)
		}
	}
}

func FuzzParsePoint(f *testing.F) {
	for _, seed := range []string{
		line, `{"time":"2026-11-30T01:02:03Z","seconds":1}`, `{}`, `null`, `{"time":"9999-12-31T23:59:59.9999999Z","seconds":1e8}`,
		`{"time":"0001-01-01T00:00:00+23:59","seconds":0}`, `{"time":"2026-11-30T01:02:03Z","seconds":1,"busy":1e-309}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Point
		if p.UnmarshalJSON(data) != nil {
			if p != (Point{}) {
				t.Fatalf("%q is in error, and gave %+v", data, p)
			}
			return
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%q gave %+v, which cannot be written: %v", data, p, err)
		}
		var back Point
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%q was written as %s: %v", data, text, err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
			t.Fatalf("%s was written again as %s, %v", text, again, err)
		}
	})
}

func TestReadTimeline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pressure.jsonl")
	for name, c := range map[string]struct {
		text string
		n    int
		say  string
	}{
		"whole":     {line + "\n" + line + "\n", 2, ""},
		"empty":     {"", 0, ""},
		"torn":      {line + "\n" + line[:40], 1, ""},
		"torn late": {line + "\n" + line, 1, ""},
		"zeros":     {line + "\n" + strings.Repeat("\x00", 512), 1, ""},
		"broken":    {line + "\n" + line[:40] + "\n" + line + "\n", 1, "line 2"},
		"other":     {`{"type":"link"}` + "\n", 0, "line 1"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTimeline(path)
		if len(got) != c.n || (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %d points, %v, want %d and %q", name, len(got), err, c.n, c.say)
		}
	}
	if err := os.Truncate(path, maxTimeline+1); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadTimeline(path); len(got) > 0 || err == nil || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("a file that is too long: %d points, %v", len(got), err)
	}
	if _, err := ReadTimeline(path + ".missing"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
	if err := unix.Mkfifo(path+".fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadTimeline(path + ".fifo"); len(got) > 0 {
		t.Errorf("a FIFO: %v, %v", got, err)
	}
}

func TestSummary(t *testing.T) {
	known := func(v float64) Share { return Share{v, true} }
	step := func(d time.Duration, io Share) Point { return Point{Length: d, IO: Shares{Full: io}} }
	const s = time.Second
	for name, c := range map[string]struct {
		t    Timeline
		want Summary
	}{
		"nothing": {nil, Summary{}},
		"unknown": {Timeline{step(s, Share{})}, Summary{Seconds: 1}},
		"weighted, with a gap": {
			Timeline{step(3*s, known(0.2)), step(s, Share{}), step(s, known(1))},
			Summary{Seconds: 5, IOFull: &Extent{4, 0.4, 1}},
		},
		"a short step is no peak": {
			Timeline{step(s, known(0.5)), step(s/10, known(1)), step(0, known(1)), step(-s, known(1))},
			Summary{Seconds: 1.1, IOFull: &Extent{1.1, 0.5455, 0.5}},
		},
		"only a short one": {
			Timeline{step(s/10, known(0.25))},
			Summary{Seconds: 0.1, IOFull: &Extent{0.1, 0.25, 0.25}},
		},
		"known to be 0": {Timeline{step(s, known(0))}, Summary{Seconds: 1, IOFull: &Extent{1, 0, 0}}},
		"others, by clocks": {
			Timeline{
				{Length: s, Busy: known(0.75), OwnCPU: known(0.25)}, {Length: s, Busy: known(0.25), OwnCPU: known(0.5)},
				{Length: s, Busy: known(1)}, {Length: s, OwnCPU: known(0.5)},
			},
			Summary{Seconds: 4, OthersCPU: &Extent{2, 0.25, 0.5}},
		},
	} {
		got := c.t.Summary()
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
	text, err := json.Marshal(Timeline{step(s, known(0))}.Summary())
	if want := `{"seconds":1,"io-full":{"seconds":1,"mean":0,"peak":0}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}
