package history

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzLines reads any file as a journal. What is read are its lines up to the
// last end of one; cutting the file at an end changes nothing; and a result that
// was read is read again from what is kept of it.
func FuzzLines(f *testing.F) {
	e, err := newEntry(result("r"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(string(e.body) + "\n" + string(e.body)))
	f.Add(must(os.ReadFile("testdata/form-0/reaper.jsonl")))
	f.Add([]byte("{}\n\n{\"type\":\"result\",\"run\":\"\\u0000\",\"gate\":\"\xff\",\"metrics\":[{\"low\":-0}]}\nnull\n"))
	f.Add([]byte(`{"type":"kill","pid":1,"start":18446744073709551615,"time":"0001-01-02T00:00:00Z"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, n := split(t, data)
		end := bytes.LastIndexByte(data, '\n') + 1
		if int(n) != end || strings.Join(lines, "\n")+"\n" != string(data[:end]) && end > 0 {
			t.Fatalf("%d of %d bytes, as %q", n, end, lines)
		}
		if i := bytes.IndexByte(data, '\n') + 1; i > 0 {
			front, _ := split(t, data[:i])
			back, _ := split(t, data[i:])
			if diff := cmp.Diff(lines, append(front, back...)); diff != "" {
				t.Fatal(diff)
			}
		}
		for _, line := range lines {
			checkLine(t, line)
		}
	})
}

func split(t *testing.T, data []byte) (lines []string, n int64) {
	n, err := readLines(bytes.NewReader(data), func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, n
}

// checkLine reads a line, and once more what it is written as.
func checkLine(t *testing.T, line string) {
	rec, err := readLine([]byte(line))
	switch {
	case err != nil:
	case rec.result != nil:
		if rec.result.Started.Year() > 9999 || rec.result.Started.Year() < 0 {
			t.Fatalf("a year that JSON cannot have: %q", line)
		}
		again, err := newEntry(rec.result.Result)
		if err != nil {
			t.Fatal(err)
		}
		want := rec.result.Result
		want.Metrics = merged(want.Metrics)
		if third, err := newEntry(want); err != nil || !bytes.Equal(third.body, again.body) {
			t.Fatalf("%s, %s, %v", third.body, again.body, err)
		}
	case rec.fault != nil:
		again, err := newFalsified(rec.fault.what)
		if diff := cmp.Diff(rec.fault.what, again.what); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	case rec.kill != nil:
		again, err := newKillEntry(rec.kill.Kill)
		if diff := cmp.Diff(rec.kill.Kill, again.Kill); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	}
}

// FuzzVerdict reads anything as a verdict.json. What is a verdict is a result
// that can be kept.
func FuzzVerdict(f *testing.F) {
	for _, run := range []string{"20260301T100000Z-0a1b2c3d", "20260302T110000Z-4e5f6a7b", "20260303T120000Z-8c9d0e1f"} {
		f.Add(must(os.ReadFile("testdata/form-0/runs/" + run + "/verdict.json")))
	}
	f.Add([]byte(`{"type":"verdict","run":"r","gate":"g","outcome":"red","metrics":[{"metric":"m","unit":"ms","series":[{"labels":"k=v","count":1,"low":0,"high":0}]}]}`))
	f.Add([]byte(`{"type":"verdict","run":"r","gate":"g","outcome":"red","links":{"past":null},"metrics":[{"metric":"m","low":{"labels":{"":"\""}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readVerdict(data)
		if err != nil {
			return
		}
		if r.Run == "" || r.Gate == "" || r.Outcome == "" {
			t.Fatalf("%+v", r)
		}
		if e, err := newEntry(r); err == nil && (e.Run != r.Run || e.Outcome != r.Outcome || len(e.Metrics) > len(r.Metrics)) {
			t.Fatalf("%+v of %+v", e.Result, r)
		} else if err != nil && len(data) < maxLine/8 {
			t.Fatal(err)
		}
	})
}

// FuzzHost makes names of files of hosts: one that is taken for a journal, and
// for nothing beside its directory.
func FuzzHost(f *testing.F) {
	for _, host := range []string{"", "box", "../../etc", ".hidden", "a/b", "ü", strings.Repeat("x", 500), "box-7"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		name := hostName(host) + "-7.jsonl"
		if found := journalName.FindStringSubmatch(name); found == nil || found[1] != "7" || name[0] == '.' || len(name) > 100 {
			t.Errorf("%q: %q", host, name)
		}
	})
}
