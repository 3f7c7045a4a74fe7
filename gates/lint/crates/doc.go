// Package crates says which sources the tests of a cargo command stand in: the packages
// and targets that its words choose, as cargo chooses them, and the files of each
// target's modules.
//
// What it promises: a target that the command would not run is not among those chosen.
// Where that cannot be told from the words and the manifests, there is an error and no
// guess.
//
// What it does not: expand macros. A module or a test that only a macro makes is not
// seen, and conditions of compilation are not looked at: a module that is compiled out
// is read nevertheless.
package crates
