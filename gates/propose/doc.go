// Package propose writes configuration for people to edit: a gpuci.toml for a
// workspace that has none (Look), and the bars, witnesses and counts that a
// gate's output is worth (Learn).
//
// It promises that what it proposes loads: every text goes through gates/config
// before anybody sees it. The same workspace gives the same text, byte for byte.
// Looking changes nothing, runs nothing of the workspace but `cargo metadata`,
// and is bounded: in directories, in bytes read, and in the time that a tool may
// take, which is ended with all it started. What was found and no gate was made
// of is said, with the reason.
//
// It does not promise that a gate is green. Whether a source has tests is told
// by its text, so that tests which only a macro makes are not seen; whether a
// tool, a feature or an interpreter is there shows when the gate runs.
package propose
