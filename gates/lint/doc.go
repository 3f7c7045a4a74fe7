// Package lint finds what can turn a failure into success: in the commands of gates,
// in the shell scripts, Makefiles and Python scripts that these call, and in the tests
// that they run. Shell is parsed, not searched; a finding is the one command whose
// failure gets lost, with its place. Which tests a command runs is read off its words
// and the manifests, as the tool does it.
//
// What it promises: what is run and could not be read is said, and is never "nothing
// found". Prove shows a finding, or withdraws it: in a scratch lane of the exact state
// that one command is run as ever and then fails, the gate's build and run go on from
// there as a gate's do, supervised and with their time limits, and what they end with is
// what they would end with. Its output and its products are what they always are, so
// that nothing is removed that the gate does not remove. The lane is never written to.
//
// What it does not: run anything of the workspace to find out what a script calls. Of
// variables it knows those that are assigned once, from what is known. A script that
// another one writes is not followed. It does not know which commands matter: what is no
// well-known harmless one is taken for a check. A proof asks for the status alone, and
// not whether somebody reads a failure off the output.
package lint
