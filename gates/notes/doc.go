// Package notes finds the statements that a workspace relies on and says which of
// them still stand.
//
// A note is an excuse with an end: "the oracle does not reach further", as long as
// a gate is red, as long as some files are as they were in a commit, up to a day, or
// until a number proves it wrong. It is a [[note]] of gpuci.toml, or a line of its
// own in a comment of a source:
//
//	// gpuci:note text="the oracle does not reach further" owner=kernels about=fused while-red=oracle
//
// What the package promises: a condition that cannot be looked at (a commit that was
// rewritten away, a shallow clone, a gate that never ran) counts as fallen, and is
// said to be unknown; what looks like a note and cannot be read is named.
//
// What counts as one in a source: the line begins with the opening of a comment, and
// gpuci:note with a first key=value is the first thing in it. What only looks like
// that is named. Files for reading
// (.md, .rst, .adoc, .org, .html, .txt but for CMakeLists.txt, .txtar) and what is
// below a testdata directory hold none. In Go a string is told from a comment; in
// other languages a line of a string of several lines that looks just like such a
// comment is taken for one. Binary files, files that git ignores, and those of more
// than 1 MiB are not looked at.
package notes
