package reader

import "testing"

// TestHides: what passing tests print is known to be hidden, or shown, by the words of
// the command, however they are written.
func TestHides(t *testing.T) {
	for _, c := range []struct {
		name, reader string
		argv, env    []string
		want         string // "" where it is shown, or nobody knows
	}{
		{name: "cargo", reader: "libtest", argv: []string{"cargo", "test", "--test", "a"}, want: "cargo test does not show what passing tests print: add -- --nocapture to it in run"},
		{name: "cargo of a toolchain, with arguments", reader: "libtest", argv: []string{"/opt/bin/cargo", "+nightly", "-q", "test", "--", "--test-threads=1"}, want: "cargo test does not show what passing tests print: add --nocapture to it in run"},
		{name: "cargo that shows it", reader: "libtest", argv: []string{"cargo", "test", "--", "--nocapture"}},
		{name: "cargo that shows it at the end", reader: "libtest", argv: []string{"cargo", "test", "--", "--show-output"}},
		{name: "cargo by its environment", reader: "libtest", argv: []string{"cargo", "test"}, env: []string{"RUST_TEST_NOCAPTURE=1"}},
		{name: "cargo without a reader", reader: "counters", argv: []string{"cargo", "test"}, want: "cargo test does not show what passing tests print: add -- --nocapture to it in run"},
		{name: "cargo in a shell", reader: "libtest", argv: []string{"bash", "-euo", "pipefail", "-c", "cargo test --lib | tee log"}, want: "cargo test does not show what passing tests print: add -- --nocapture to it in run"},
		{name: "cargo in a shell that shows it", reader: "libtest", argv: []string{"bash", "-c", "(cargo test -- --nocapture) | tee log"}},
		{name: "another command of cargo", reader: "none", argv: []string{"cargo", "run", "--release"}},
		{name: "a script", reader: "libtest", argv: []string{"./run-tests.sh"}, want: "cargo test shows what passing tests print only with -- --nocapture: have run give it that"},
		{name: "a script without tests", reader: "none", argv: []string{"./run-tests.sh"}},
		{name: "nextest", reader: "junit:target/*.xml", argv: []string{"cargo", "nextest", "run"}, want: "cargo nextest does not show what passing tests print: add --no-capture to it in run"},
		{name: "go, which gets -json", reader: "gotest", argv: []string{"go", "test", "./..."}},
		{name: "go in a shell", reader: "gotest", argv: []string{"bash", "-c", "go test ./..."}, want: "go test does not show what passing tests print: add -v to it in run"},
		{name: "go without a reader", reader: "none", argv: []string{"go", "test", "./..."}, want: "go test does not show what passing tests print: add -v to it in run"},
		{name: "go -v", reader: "none", argv: []string{"go", "test", "-v", "./..."}},
		{name: "pytest", reader: "pytest", argv: []string{"python3", "-m", "pytest", "tests"}, want: "pytest does not show what passing tests print: add -rP to it in run"},
		{name: "pytest -s", reader: "pytest", argv: []string{"pytest", "-vs"}},
		{name: "pytest -rA", reader: "pytest", argv: []string{"uv", "run", "pytest", "-rfA"}},
		{name: "pytest by its environment", reader: "pytest", argv: []string{"pytest"}, env: []string{"PYTEST_ADDOPTS=-q -rP"}},
		{name: "pytest with another environment", reader: "pytest", argv: []string{"pytest", "test_rates.py"}, env: []string{"PYTEST_ADDOPTS=-q"}, want: "pytest does not show what passing tests print: add -rP to it in run"},
		{name: "pytest -rs, which is of skips", reader: "pytest", argv: []string{"pytest", "-rs"}, want: "pytest does not show what passing tests print: add -rP to it in run"},
		{name: "ctest", reader: "ctest", argv: []string{"ctest", "--test-dir", "build"}, want: "ctest does not show what passing tests print: add -V to it in run"},
		{name: "ctest -V", reader: "ctest", argv: []string{"ctest", "-V"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if h, ok := Hides(c.reader, c.argv, c.env); ok {
				got = h.Text()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
