package reader

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLibtestOnRealCargo(t *testing.T) {
	need(t, "cargo")
	dir := project(t, "testdata/cargo.txtar")
	env := []string{"CARGO_TARGET_DIR=" + filepath.Join(dir, "target"), "CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never", "RUST_BACKTRACE=0"}
	never := []string{"never reported"}
	for _, tt := range []struct {
		name, args string
		want
	}{
		{"passing and ignored", "-p lt --lib", want{Counts: Counts{Passed: 3, Ignored: 2, Suites: 1}}},
		{"ignored only", "-p lt --lib ign", want{Counts: Counts{Ignored: 2, Filtered: 3, Suites: 1}}},
		{"colours", "-p lt --lib -- --color=always --show-output", want{Counts: Counts{Passed: 3, Ignored: 2, Suites: 1}}},
		{"shown list", "-p lt --lib -- --list", want{says: []string{"cargo started 1 test executable, and 1 of them reported nothing"}}},
		{"doc tests", "-p lt --doc", want{Counts: Counts{Passed: 3, Ignored: 1, Suites: 1}}},
		{"empty crate", "-p empty", want{Counts: Counts{Suites: 2}}},
		{"no tests", "-p lt --test zero", want{Counts: Counts{Suites: 1}}},
		{"several", "-p lt --lib --test zero --test bad good", want{Counts: Counts{Passed: 1, Filtered: 8, Suites: 3}}},
		{"failing", "-p lt --test bad", want{Counts: Counts{Passed: 1, Failed: 3, Suites: 1, FailedNames: []string{"fail_one", "fail_two", "no_panic"}}}},
		{"failing quietly", "-q -p lt --test bad", want{Counts: Counts{Passed: 1, Failed: 3, Suites: 1, FailedNames: []string{"fail_one", "fail_two", "no_panic"}}}},
		{"failing aloud", "-p lt --test bad -- --nocapture", want{Counts: Counts{Passed: 1, Failed: 3, Suites: 1, FailedNames: []string{"fail_one", "fail_two", "no_panic"}}}},
		{"one after the other", "-p lt --test bad -- --nocapture --test-threads=1", want{Counts: Counts{Passed: 1, Failed: 3, Suites: 1, FailedNames: []string{"fail_one", "fail_two", "no_panic"}}}},
		{"abort", "-p lt --test dead abort", want{says: never}},
		{"segfault", "-p lt --test dead segv", want{says: never}},
		{"exit 0", "-p lt --test dead exit0 -- --test-threads=1", want{says: []string{"announced 1 test and never reported how they ended (the last one to begin was exit0)"}}},
		{"exit 0 before a suite of the same size", "-p lt --test dead --test next exit0", want{says: never}},
		{"a tale and exit 0 is believed", "-p lt --test dead tale -- --nocapture", want{Counts: Counts{Passed: 1, Filtered: 0, Suites: 1}}},
		{"spoofed", "-p lt --test spoof", want{Counts: Counts{Passed: 3, Suites: 1}}},
		{"spoofed aloud", "-p lt --test spoof -- --nocapture --test-threads=1 --skip line", want{
			Counts: Counts{Passed: 2, Filtered: 1, Suites: 1}, says: []string{"or for a test that prints cargo's lines"}}},
		{"spoofed quietly", "-q -p lt --test spoof -- --nocapture --test-threads=1 --skip line", want{Counts: Counts{Passed: 2, Filtered: 1, Suites: 1}}},
		{"spoofed total", "-p lt --test spoof -- --nocapture --test-threads=1", want{Counts: Counts{Passed: 10, Suites: 2}, says: []string{"outside of any suite"}}},
		{"a harness of its own", "-p mute --lib --test own", want{
			Counts: Counts{Passed: 1, Suites: 1}, says: []string{"cargo started 2 test executables, and 1 of them reported nothing"}}},
		{"an exit before main", "-p mute --lib --test leaves", want{
			Counts: Counts{Passed: 1, Suites: 1}, says: []string{"cargo started 2 test executables, and 1 of them reported nothing"}}},
		{"nobody reports", "-p mute --test leaves --test own", want{says: []string{"and 2 of them reported nothing (by the order in which the lines came, target/debug/deps/leaves-"}}},
		{"unheard and quiet is not seen", "-q -p mute", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"doc tests report twice", "-p merged", want{Counts: Counts{Passed: 4, Suites: 3}}},
		{"doc tests stand in for nobody", "-p merged -p mute", want{
			Counts: Counts{Passed: 5, Suites: 4}, says: []string{"cargo started 4 test executables, and rustdoc for 1 crate, and at least 2 of them reported nothing"}}},
		{"doc tests without names", "-p mute -p empty -- -q", want{
			Counts: Counts{Passed: 1, Suites: 3}, says: []string{"cargo started 4 test executables, and rustdoc for 1 crate, and at least 2 of them reported nothing"}}},
		{"nested, same size", "-p lt --test nest nest_same", want{Counts: Counts{Passed: 1, Filtered: 3, Suites: 1}}},
		{"nested twice", "-p lt --test nest", want{Counts: Counts{Passed: 3, Ignored: 1, Suites: 1}}},
		{"nested twice quietly", "-q -p lt --test nest -- --test-threads=1", want{Counts: Counts{Passed: 3, Ignored: 1, Suites: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			argv := append([]string{"cargo", "test", "--no-fail-fast"}, strings.Fields(tt.args)...)
			stdout, stderr := outputOf(t, dir, env, argv...)
			check(t, "libtest", stdout, stderr, tt.want)
		})
	}
	t.Run("the first failure ends it", func(t *testing.T) {
		stdout, stderr := outputOf(t, dir, env, "cargo", "test", "-p", "lt", "--test", "bad", "--test", "zero")
		check(t, "libtest", stdout, stderr, want{Counts: Counts{Passed: 1, Failed: 3, Suites: 1, FailedNames: []string{"fail_one", "fail_two", "no_panic"}}})
	})
	t.Run("who was silent", func(t *testing.T) {
		both, _ := outputOf(t, dir, env, "bash", "-c", "cargo test -p lt -p mute --test zero --test own --test next 2>&1")
		check(t, "libtest", both, nil, want{Counts: Counts{Passed: 1, Suites: 2}, says: []string{"1 of them reported nothing (by the order in which the lines came, target/debug/deps/own-"}})
	})
	t.Run("products", func(t *testing.T) {
		for _, args := range []string{"", "-v"} {
			argv := append([]string{"cargo", "test", "-p", "lt", "--lib", "--test", "zero"}, strings.Fields(args)...)
			stdout, stderr := outputOf(t, dir, env, argv...)
			r := &libtest{}
			feed(r, Stderr, stderr)
			feed(r, Stdout, stdout)
			c := r.Counts()
			zero := slices.ContainsFunc(c.Products, func(p string) bool { return strings.Contains(p, "target/debug/deps/zero-") })
			if len(c.Products) != 2 || !zero {
				t.Errorf("cargo test %s: products %q, want lt and zero", args, c.Products)
			}
		}
	})
}
