package cuda

import (
	"errors"
	"strings"
	"testing"
)

const someAnswers = `{"type":"device","device":{"name":"x","arch":"sm_90"}}
{"type":"launched","count":{"Phase":"forward","Kernel":"k","Times":2}}
{"type":"finding","finding":{"Kind":"unwritten","Memory":"out[3]","Count":1,"Text":"unwritten: out[3]"}}
{"type":"buffer","buffer":{"name":"out","count":1,"role":"output","bits":"AACAPw=="}}
{"type":"memory","memory":{"allocations":1,"bytes":4,"high":4}}
{"type":"done"}
`

func TestAnswers(t *testing.T) {
	a, err := readAnswers(strings.NewReader(someAnswers))
	if err != nil || !a.done || a.result.Buffers["out"][0] != 1 || a.result.Launched("forward") != 2 || !a.result.Found("unwritten") || a.memory.High != 4 {
		t.Fatalf("%+v, %v", a, err)
	}
	if err := a.judge(nil, ""); err != nil {
		t.Errorf("a whole run: %v", err)
	}
	if err := a.judge(errors.New("signal: killed"), ""); err == nil {
		t.Error("one that was killed behind its last line is whole")
	}
	cut, err := readAnswers(strings.NewReader(strings.TrimSuffix(someAnswers, "{\"type\":\"done\"}\n")))
	if err != nil || cut.judge(nil, "hello") == nil {
		t.Errorf("one without its last line is whole: %v", err)
	}
	for name, text := range map[string]string{
		"after the end": someAnswers + `{"type":"device","device":{}}`,
		"no JSON":       "hello\n", "of no kind": `{"type":"other"}`, "empty": `{}`,
		"short":       `{"type":"buffer","buffer":{"name":"out","count":2,"bits":"AACAPw=="}}`,
		"no launches": `{"type":"launched","count":{"Phase":"p","Kernel":"k"}}`,
		"no samples":  `{"type":"times","times":{"phase":"forward"}}`,
	} {
		if _, err := readAnswers(strings.NewReader(text)); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// FuzzAnswers: no output panics, and what is a whole run has its last line, no refusal
// and no launch that was not one.
func FuzzAnswers(f *testing.F) {
	f.Add(someAnswers)
	f.Add(`{"type":"error","code":"crash","text":"x"}`)
	f.Add(`{"type":"rechecked","equal":3}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readAnswers(strings.NewReader(text))
		if err != nil || a.judge(nil, "") != nil {
			return
		}
		if !a.done || a.refused != nil {
			t.Errorf("%q is a whole run", text)
		}
		for _, c := range a.result.Launches {
			if c.Times < 1 {
				t.Errorf("%q has launches of %+v", text, c)
			}
		}
	})
}
