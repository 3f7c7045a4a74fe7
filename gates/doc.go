// Package gates runs one gate in one lane and says what came of it.
//
// A gate is a named check of a workspace: build, run, measure, judge. Run
// walks a fixed pipeline (sweep, pressure, queue, card, build, quiet, run, judge) and
// returns a Verdict bound to the commit, the uncommitted changes, the build
// products and the tools. It promises: a green gate ran at least the tests it must,
// its command succeeded, and every number it names was read, is finite and is
// within its limits (of a partial one: every number that was printed); the
// child's whole output is on disk; nothing that the gate started is alive when
// Run returns, or it is named in the verdict.
//
// Steps of the pipeline whose package is not there yet are recorded as
// absent and never as passed; a gate that needs one of them to be trusted
// (`needs = ["gpu"]`) is refused. The package does not print and does not
// choose which gates run.
package gates
