// Package lint finds what can turn a failure into success: in the commands of gates,
// in the shell scripts, Makefiles and Python scripts that these call, and in the tests
// that they run. Shell is parsed, not searched; a finding is the one command whose
// failure gets lost, with its place.
//
// What it promises: Prove shows a finding, or withdraws it. In a scratch lane of the
// exact state that one command is replaced by one that fails, the gate's build and run
// are run as a gate's are, supervised and with their time limits, and what they end
// with is what they would end with. The lane is never written to.
//
// What it does not: run anything to find out what a script calls. A path that is put
// together from variables, a script that another one writes, a function of another
// file, are not followed. It does not know which commands matter: what is no well-known
// harmless one is taken for a check.
package lint
