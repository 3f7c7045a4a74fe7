package crates

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Choice is what the words of a cargo command choose of a workspace.
type Choice struct {
	Manifest          string // of --manifest-path
	Workspace         bool
	Packages, Exclude []string // specifications, with * and ? in them

	Lib, Bins, Examples, Tests, Benches, All, Doc bool
	Bin, Example, Test, Bench                     []string // names, with * and ? in them

	Features    []string
	AllFeatures bool
	NoDefault   bool

	NoRun   bool
	Ignored bool // tests with #[ignore] are run too
	names        // of tests
}

// names say which tests of a binary are run: those whose path has one of a list in it.
type names struct {
	any, skip []string
	exact     bool
}

// Runs says whether a test of this path, a::b::test, is run.
func (n names) Runs(test string) bool {
	has := func(part string) bool { return n.exact && test == part || !n.exact && strings.Contains(test, part) }
	return (len(n.any) == 0 || slices.ContainsFunc(n.any, has)) && !slices.ContainsFunc(n.skip, has)
}

// Part names the choice among the tests of a file, for whoever reads it twice.
func (c Choice) Part() string { return fmt.Sprint(c.Ignored, c.names) }

// valued are the options of cargo test and cargo nextest run that take a word, and do
// not choose.
const valued = ` -j --jobs --profile --target --target-dir --message-format --color --config -Z --lockfile-path --cargo-profile --cargo-message-format
 -P --build-jobs --test-threads --retries --failure-output --success-output --status-level --final-status-level --max-fail --config-file
 --tool-config-file --archive-file --archive-format --workspace-remap --binaries-metadata --cargo-metadata --extract-to --partition --run-ignored
 --flaky-result --show-progress --stress-count --stress-duration --no-tests --override-version-check --user-config-file --output-path --ignore-filename-regex `

// Hole stands in a word for what is not known before the command runs.
const Hole = "\x00"

// Parse reads the words after `cargo test` or `cargo nextest run`. A word that is not
// known is "", or has a Hole in it: where it may choose anything, that is an error, but
// not of a command that only compiles.
func Parse(words []string) (c Choice, err error) {
	if own, _ := cut(words); slices.Contains(own, "--no-run") {
		return Choice{NoRun: true}, nil
	}
	rest := words
	for len(rest) > 0 {
		w := rest[0]
		rest = rest[1:]
		if w == "--" {
			return c, c.harness(rest)
		}
		if w == "" {
			return c, errors.New("a word of it is put together from what is not known before it runs")
		}
		name, value, given := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-"):
			c.any = append(c.any, w)
			continue
		case len(w) > 2 && w[1] != '-' && strings.ContainsRune("pjFEPZ", rune(w[1])): // -pdecay
			name, value, given = w[:2], strings.TrimPrefix(w[2:], "="), true
		}
		if takes(name) && !given {
			if len(rest) == 0 {
				return c, fmt.Errorf("nothing stands after %s", name)
			}
			if value, rest = rest[0], rest[1:]; value == "" {
				value = Hole
			}
		}
		if err := c.option(name, value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// cut parts the words at --.
func cut(words []string) (own, harness []string) {
	i := slices.Index(words, "--")
	if i < 0 {
		return words, nil
	}
	return words[:i], words[i+1:]
}

func takes(name string) bool {
	switch name {
	case "-p", "--package", "--exclude", "--bin", "--example", "--test", "--bench", "-F", "--features", "--manifest-path", "-E", "--filterset", "--filter-expr":
		return true
	}
	return strings.Contains(valued, " "+name+" ") || strings.Contains(valued, " "+name+"\n")
}

func (c *Choice) option(name, value string) error {
	lists := map[string]*[]string{
		"-p": &c.Packages, "--package": &c.Packages, "--exclude": &c.Exclude,
		"--bin": &c.Bin, "--example": &c.Example, "--test": &c.Test, "--bench": &c.Bench,
	}
	flags := map[string]*bool{
		"--workspace": &c.Workspace, "--all": &c.Workspace, "--lib": &c.Lib, "--bins": &c.Bins, "--examples": &c.Examples, "--tests": &c.Tests,
		"--benches": &c.Benches, "--all-targets": &c.All, "--doc": &c.Doc, "--all-features": &c.AllFeatures, "--no-default-features": &c.NoDefault, "--no-run": &c.NoRun,
	}
	switch list, flag := lists[name], flags[name]; {
	case strings.Contains(value, Hole) && (name == "-F" || name == "--features"):
		c.AllFeatures = true // it may be any: what needs some is read
	case strings.Contains(value, Hole) && (list != nil || name == "--manifest-path" || name == "--run-ignored"):
		return fmt.Errorf("it is not known what stands after %s", name)
	case list != nil:
		*list = append(*list, value)
	case flag != nil:
		*flag = true
	case name == "-F" || name == "--features":
		c.Features = append(c.Features, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	case name == "--manifest-path":
		c.Manifest = value
	case name == "--run-ignored":
		c.Ignored = value != "default"
	case name == "-E" || name == "--filterset" || name == "--filter-expr":
		return fmt.Errorf("what its filter %s %s chooses is not read", name, value)
	}
	return nil
}

// harness reads what stands after --, which the test binaries get.
func (c *Choice) harness(words []string) error {
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		switch name {
		case "":
			return errors.New("a word after -- is put together from what is not known before it runs")
		case "--test-threads", "--format", "--color", "--logfile", "--shuffle-seed", "-Z", "--skip":
			if i++; !given && i < len(words) {
				value = words[i]
			} else if given {
				i--
			}
			if name == "--skip" && value != "" {
				c.skip = append(c.skip, value)
			}
		case "--exact":
			c.exact = true
		case "--ignored", "--include-ignored":
			c.Ignored = true
		default:
			if !strings.HasPrefix(name, "-") {
				c.any = append(c.any, words[i])
			}
		}
	}
	return nil
}
