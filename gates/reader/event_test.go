package reader

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// goEvent is what encoding/json makes of an event.
type goEvent struct{ Action, Package, Test, Output, FailedBuild string }

func (e *event) plain() goEvent {
	return goEvent{string(e.action), string(e.pkg), string(e.test), string(e.output), string(e.failedBuild)}
}

func FuzzEvent(f *testing.F) {
	for _, s := range []string{
		`{"Time":"2026-11-29T12:00:00Z","Action":"output","Package":"m/a","Test":"TestA/\u00e4","Output":"\t\"x\" \\ \u003c\ud83d\ude00\u001b[31m\n"}`,
		`{"Action":"fail","Package":"m/a","Elapsed":0.005,"FailedBuild":"m/a [m/a.test]"}`,
		`{"Action":"pass","Elapsed":-1e+3,"More":null,"Yes":true}`,
		`{"Action":"output","Output":"\ud83d lone \ude00 \ud83dx"}`,
		`{"Action":"","Action":"run"}`, `{}`, `{"Action":[1]}`, `{"Action":"x"`, `{"Action":"x"}}`, `{"Action":"\q"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var e event
		if !e.parse([]byte(line)) {
			return
		}
		var want goEvent
		if json.Unmarshal([]byte(line), &want) != nil || !utf8.ValidString(line) || !sameKeys(line) {
			return // control characters, loose numbers, keys in other letters: go writes none of them
		}
		if diff := cmp.Diff(want, e.plain()); diff != "" {
			t.Fatalf("%s (-encoding/json +parse):\n%s", line, diff)
		}
	})
}

// sameKeys reports whether the known keys are written as go writes them:
// encoding/json takes other letters as well.
func sameKeys(line string) bool {
	var keys map[string]any
	if json.Unmarshal([]byte(line), &keys) != nil {
		return false
	}
	for key, value := range keys {
		for _, known := range []string{"Action", "Package", "Test", "Output", "FailedBuild"} {
			if _, isText := value.(string); strings.EqualFold(key, known) && (key != known || !isText) {
				return false
			}
		}
	}
	return true
}

func TestEventReadsWhatGoWrites(t *testing.T) {
	for _, want := range []goEvent{
		{Action: "start", Package: "m/a"},
		{Action: "output", Package: "m/a", Test: "TestA/grün", Output: "\x00\x1b[31m<&>\u2028\"\\/\t\r\b\f😀\n"},
		{Action: "fail", Package: "m/a", FailedBuild: "m/a [m/a.test]"},
	} {
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var e event
		if !e.parse(line) {
			t.Errorf("%s is not read as an event", line)
		} else if diff := cmp.Diff(want, e.plain()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestPiecesAreBounded(t *testing.T) {
	var p pieces
	long := strings.Repeat("x", 40<<10)
	if p.hold([]byte("m"), []byte("A"), []byte(long)) != nil {
		t.Error("a first piece was not held")
	}
	if line := p.hold([]byte("m"), []byte("A"), []byte(long)); len(line) != 80<<10 {
		t.Errorf("a line past the bound came back with %d bytes, want all of them", len(line))
	}
	for i := range 2 * maxPieces {
		p.hold([]byte("m"), []byte(strings.Repeat("T", i)), []byte("x"))
	}
	if len(p.held) != maxPieces {
		t.Errorf("%d lines are held, want %d", len(p.held), maxPieces)
	}
	if all := p.takeAll([]byte("m")); len(all) != 2*maxPieces-1 || len(p.held) != 0 {
		t.Errorf("the end of a package gave %d bytes and left %d lines", len(all), len(p.held))
	}
}
