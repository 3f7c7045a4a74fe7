// Package check holds device code against what is asked of it: budgets, the entries
// that must be there, what hosts look up and launch, the machine's cards, and a fresh
// build of the same sources. Its functions are pure: they read no file and run nothing.
//
// What it promises: a finding says what was expected, what was found, and what happens
// at run time if it is ignored. What is not known is said and never passed: where a
// declared check cannot be made, that is a finding of its own.
//
// What it does not: prove a kernel right. "No float atomic found" is not "deterministic",
// and arguments that fit in number and size can still be the wrong ones.
//
// The rules, with what each compares; those marked with * are notes, that turn nothing red:
//
//	registers, spills, shared, stack   a kernel against its budget
//	budget-unknown                     the number is not known
//	budget-unmatched                   the budget names no kernel
//	entry-missing, entry-new*          the entries of a set against those it is to have
//	entry-twice                        one entry in two modules of a kind and architecture
//	launch-count                       arguments against parameters
//	launch-size, launch-type           the size of one, and floats against integers
//	launch-kernel                      a declared launch of what is in no module
//	launch-unknown                     the parameters or an argument are not known (* where it was read in a host source)
//	lookup-missing                     a name that is not in the module it is looked up in
//	lookup-unlisted                    a name that get_func asks for, and load_ptx did not name
//	lookup-unknown*                    the module could not be read, and no module has the name
//	module-unknown*                    the host loads a file that is not among the modules
//	block-size, block-registers        the block of a launch against what the kernel can be launched with
//	float-atomic                       a float atomic in a kernel that must be deterministic
//	float-atomic-none*                 none was found in such a kernel: what was asked for
//	float-atomic-unknown               whether there is one is not known, and why
//	deterministic-unmatched            the declaration names no kernel
//	stale-entries, stale-params        committed device code against a fresh build
//	stale-code, stale-data             all that a kernel runs, and what all of them share, where one compiler made both
//	stale-flags, stale-toolkit*        what it was made with, where it made other code; that of two compilers is not compared
//	architecture                       no module with a kernel runs on a card
//	graph-shared*, graph-outside*      a handle in two graphs, or in one and outside
//	graph-entry                        a graph names what is in no module
package check
