package gates

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
)

// The table of the design, word for word.
func TestExitCodes(t *testing.T) {
	want := map[Outcome]int{
		Green: 0, KnownRed: 0, Attention: 103, Red: 100, BuildFailed: 101, Broken: 102, OutOfTime: 124, Refused: 75,
	}
	for o, code := range want {
		if got := o.ExitCode(); got != code {
			t.Errorf("%s: exit %d, want %d", o, got, code)
		}
	}
	if got := Outcome("new").ExitCode(); got != ExitUnexpected {
		t.Errorf("an unknown outcome exits with %d", got)
	}
}

func TestWorstExit(t *testing.T) {
	order := []int{143, 130, 1, 78, 69, 101, 102, 124, 100, 103, 75}
	for i := range order {
		for j := i; j < len(order); j++ {
			if got := WorstExit(0, order[j], order[i]); got != order[i] {
				t.Errorf("of %d and %d: %d", order[i], order[j], got)
			}
		}
	}
	if got := WorstExit(0, 0); got != 0 {
		t.Errorf("all green: %d", got)
	}
	if got := WorstExit(0, 64); got != 64 {
		t.Errorf("a code outside the order is lost: %d", got)
	}
}

func TestDecide(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	today := time.Now()
	red := config.Gate{Expect: "red", Owner: "kernels", Until: day(today.Format(time.DateOnly))}
	past := config.Gate{Expect: "red", Owner: "kernels", Until: day(today.AddDate(0, 0, -1).Format(time.DateOnly))}
	stopped, cancel := context.WithCancelCause(context.Background())
	cancel(Signalled{Exit: 143})
	for _, tc := range []struct {
		name     string
		ctx      context.Context
		gate     config.Gate
		strict   bool
		findings []Outcome
		marks    []string
		want     Outcome
		exit     int
	}{
		{name: "nothing found", want: Green},
		{name: "a mark is no finding", marks: []string{"x"}, want: Green},
		{name: "strict", marks: []string{"x"}, strict: true, want: Attention, exit: 103},
		{name: "strict and red", marks: []string{"x"}, strict: true, findings: []Outcome{Red}, want: Red, exit: 100},
		{name: "broken above red", findings: []Outcome{Red, Broken}, want: Broken, exit: 102},
		{name: "refused above all", findings: []Outcome{Red, Refused}, want: Refused, exit: 75},
		{name: "known red, on its last day", gate: red, findings: []Outcome{Red}, want: KnownRed},
		{name: "known red is over", gate: past, findings: []Outcome{Red}, want: Red, exit: 100},
		{name: "known red and broken", gate: red, findings: []Outcome{Broken}, want: Broken, exit: 102},
		{name: "unexpectedly green", gate: red, want: Attention, exit: 103},
		{name: "stopped", ctx: stopped, findings: []Outcome{Red}, want: Interrupted, exit: 143},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &flow{opt: Options{Strict: tc.strict}, gate: tc.gate, v: &Verdict{Started: today, Marks: tc.marks}}
			for _, o := range tc.findings {
				f.find(o, "because")
			}
			ctx := tc.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			f.decide(ctx)
			if f.v.Outcome != tc.want || f.v.Exit != tc.exit {
				t.Errorf("got %s, exit %d; want %s, exit %d", f.v.Outcome, f.v.Exit, tc.want, tc.exit)
			}
			if f.v.Outcome != Green && len(f.v.Findings) == 0 {
				t.Error("not green and no reason given")
			}
		})
	}
}

func TestWithArgs(t *testing.T) {
	argv := []config.Command{{Argv: []string{"a"}}, {Argv: []string{"b", "c"}}}
	got, err := withArgs(argv, []string{"-x", "y z"})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Command{{Argv: []string{"a"}}, {Argv: []string{"b", "c", "-x", "y z"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(argv[1].Argv) != 2 {
		t.Error("the configuration itself was changed")
	}
	for shell, ok := range map[string]bool{`go test "$@"`: true, "go test $1": true, `x "${@:2}"`: true, "go test $HOME": false, "make | tee log": false,
		`awk '{print $1}' f`: false, `echo \$@`: false, `f() { "$@"; }; f x`: true} {
		if _, err := withArgs([]config.Command{{Shell: shell}}, []string{"-x"}); (err == nil) != ok {
			t.Errorf("%s: %v", shell, err)
		}
	}
}
