package main

import (
	"strings"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/kernels/device"
)

// Who has waited long enough for a driver that does not answer waits no longer for it,
// and is told so by the exit code.
func TestGPUWaitSilent(t *testing.T) {
	w := gpuWait{gpuWaitOptions: gpuWaitOptions{count: 1, wait: time.Minute}, began: time.Now().Add(-time.Hour)}
	w.survey.Look.Silent = "the driver does not answer"
	if err := w.lookOn(t.Context()); err != nil { // it has no cards to ask
		t.Error(err)
	}
	_, err := w.run(t.Context(), func(text string) { t.Error(text) })
	if exitCode(err, true) != exitUnfit || !w.over || !strings.Contains(err.Error(), "gave up after 1h") {
		t.Errorf("%v, %d", err, exitCode(err, true))
	}
}

// A wait goes on when a look does not show what an earlier one did, and when a driver
// has no card yet; who looks once, or has named what is not there, is told.
func TestGPUWaitGoesOn(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "GPU-a")
	card := device.Seen{Card: device.Card{UUID: "GPU-a", Name: "NVIDIA H200"}}
	there := gates.Survey{Look: device.Look{Cards: []device.Seen{card}}, Cards: []gates.CardState{{Seen: card, Status: gates.CardBusy, Why: "pid 1"}}}
	quiet := there
	quiet.Cards = []gates.CardState{{Seen: card, Status: gates.CardQuiet}}
	other := device.Seen{Card: device.Card{UUID: "GPU-b", Name: "NVIDIA H200"}}
	others := gates.Survey{Look: device.Look{Cards: []device.Seen{other}}, Cards: []gates.CardState{{Seen: other, Status: gates.CardQuiet}}}
	for _, tt := range []struct {
		wait  time.Duration
		looks []gates.Survey
		codes []int // of each: -1 waits on, 0 is quiet
	}{
		{time.Hour, []gates.Survey{there, {}, others, quiet}, []int{-1, -1, -1, 0}},
		{-1, []gates.Survey{{}, there}, []int{-1, -1}},
		{0, []gates.Survey{{}}, []int{exitUnfit}},
		{time.Hour, []gates.Survey{others}, []int{gates.ExitUsage}},
	} {
		w := gpuWait{gpuWaitOptions: gpuWaitOptions{count: 1, wait: tt.wait}}
		for i, look := range tt.looks {
			w.survey, w.lack = look, ""
			got, err := w.quiet()
			code := exitCode(err, true)
			if err == nil && len(got) < 1 {
				code = -1
			}
			if code != tt.codes[i] {
				t.Errorf("wait %s, look %d: %v, %v, want %d", tt.wait, i, got, err, tt.codes[i])
			}
			if code == -1 && len(look.Look.Cards) == 0 && !strings.Contains(w.why(), "no card here can serve") {
				t.Errorf("it waits because of %q", w.why())
			}
		}
	}
}

// Only the cards that are meant are waited for to settle; those that cannot be chosen of
// a look are told when it is judged.
func TestGPUWaitMeant(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "GPU-b")
	look := device.Look{Cards: []device.Seen{{Card: device.Card{UUID: "GPU-a", Name: "NVIDIA H200"}}, {Card: device.Card{UUID: "GPU-b", Name: "NVIDIA H200", Index: 1}}}}
	for gpu, want := range map[string]string{"": "GPU-b", "GPU-a": "GPU-a", "GPU-b,GPU-a": "GPU-b GPU-a", "7": ""} {
		w := gpuWait{gpuWaitOptions: gpuWaitOptions{count: 1, gpu: gpu}}
		cards, err := w.meant(look)
		var got []string
		for _, c := range cards {
			got = append(got, c.UUID)
		}
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("--gpu %q: %q, %v", gpu, got, err)
		}
	}
	look.Silent = "it hangs"
	if cards, err := (&gpuWait{}).meant(look); err == nil || len(cards) > 0 {
		t.Errorf("of a driver that does not answer: %v, %v", cards, err)
	}
}

// A wait has enough when as many cards are quiet as it is for, of those that it is for.
func TestGPUWaitEnough(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b")
	var s gates.Survey
	for i, status := range []gates.CardStatus{gates.CardQuiet, gates.CardUnknown, gates.CardQuiet} {
		card := device.Seen{Card: device.Card{UUID: "GPU-" + string(rune('a'+i)), Name: "NVIDIA H200", Index: i}}
		s.Look.Cards = append(s.Look.Cards, card)
		s.Cards = append(s.Cards, gates.CardState{Seen: card, Status: status})
	}
	for _, tt := range []struct {
		gpu   string
		count int
		want  bool
	}{{"", 1, true}, {"", 2, false}, {"GPU-b", 1, false}, {"GPU-a,GPU-c", 2, true}, {"GPU-x", 1, false}} {
		w := gpuWait{gpuWaitOptions: gpuWaitOptions{count: tt.count, gpu: tt.gpu}}
		if got := w.enough(s); got != tt.want {
			t.Errorf("%d of %q: enough %t", tt.count, tt.gpu, got)
		}
	}
}
