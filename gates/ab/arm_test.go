package ab

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArms(t *testing.T) {
	got, err := ParseArms([]string{
		"base=commit:v1.2", `fused=env:FLAGS=-a,-b,env:K=V,args:--tile '3 2' x`, "fused=config:src/a.rs:a: u8 = 1=>a: u8 = 2,lane:kda",
	})
	want := []Arm{
		{Name: "base", Commit: "v1.2"},
		{Name: "fused", Lane: "kda", Env: []string{"FLAGS=-a,-b", "K=V"}, Args: []string{"--tile", "3 2", "x"}, Edits: []Edit{{"src/a.rs", "a: u8 = 1", "a: u8 = 2"}}},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Fatal(err, d)
	}
	for _, a := range got { // what is printed can be written again
		again, err := ParseArms([]string{a.Name + "=" + a.Spec(), "other=."})
		if err != nil || cmp.Diff(a, again[0]) != "" {
			t.Errorf("%s: %v, %v", a.Spec(), again, err)
		}
	}
	if d := cmp.Diff(RefArm("."), Arm{Name: "here"}); d != "" {
		t.Error(d)
	}
}

func TestParseArmsWrong(t *testing.T) {
	for text, why := range map[string]string{
		"":                                 "names no arm",
		"x":                                "names no arm",
		"-x=.":                             "names no arm",
		"x=":                               "says nothing of arm x",
		"x=what:y":                         `"what" is none of`,
		"x=commit:":                        "says nothing of it",
		"x=commit:a,.":                     "of two trees",
		"x=lane:a,commit:b":                "of two trees",
		"x=env:GPUCI_SEED=1":               "gpuci's to set",
		"x=env:K":                          "sets no variable",
		"x=args:'":                         "are no arguments",
		"x=args:$(reboot)":                 "are no arguments",
		"x=config:../other:a=>b":           "is no FILE:FROM=>TO",
		"x=config:a:b":                     "is no FILE:FROM=>TO",
		"x=config:a:b=>b":                  "is no FILE:FROM=>TO",
		"y=.":                              "there is one",
		"x=env:A=1,env:B=2,commit:a,args:": "says nothing of it",
	} {
		_, err := ParseArms([]string{text, "y=."})
		var bad *ArmError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, why) || bad.Next == "" {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
}

// Whatever is written is an *ArmError or an arm that is printed as it can be read again.
func FuzzParseArms(f *testing.F) {
	for _, s := range []string{"a=.", "a=commit:x,env:A=,,args:'q q' z", "a=config:f:b=>c=>d,lane:l", "a=env:A=b,.", "a=args:a\\ b,,", "a=args:\"$X\" ''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		arms, err := ParseArms([]string{text, "other=."})
		var bad *ArmError
		if err != nil {
			if !errors.As(err, &bad) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseArms([]string{arms[0].Name + "=" + arms[0].Spec(), "other=."})
		if err != nil || cmp.Diff(arms[0], again[0]) != "" {
			t.Fatalf("%q is %+v, printed %q, read again %+v, %v", text, arms[0], arms[0].Spec(), again, err)
		}
	})
}

// A journal that anybody has written to is read, or said to be none.
func FuzzReadLog(f *testing.F) {
	f.Add(`{"session":{"id":"20261201T080000Z-0a1b2c3d","arms":[{"name":"a"},{"name":"b"}]}}` + "\n" + `{"sample":{"round":0}}` + "\n")
	f.Add("{}\n")
	f.Add(`{"end":{"state":"answered"}}` + "\n" + `{"built":null}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		log, err := readLog(strings.NewReader(text))
		if err == nil {
			_ = ReportOf(log).End
		}
	})
}
