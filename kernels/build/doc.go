// Package build compiles the CUDA sources of a set, each of them once.
//
// What was compiled is kept in a cache by content, which the lanes share. It
// promises: an output is what the compiler makes of the files as they are. Content
// decides, and never a time: a file is read again unless its inode, size and both
// its times are those of a reading that was made well after its last change. Each
// header that was really included is held against its content, and so is the place
// where each name asked for in one is found, so that a header that appears earlier
// on the include path, or one that __has_include had not found, is noticed. What
// changed while it was compiled is not kept. Files of options, and the variables of the
// environment that nvcc takes up, count as flags do; what of them cannot be followed is
// compiled every time. An output is written whole or not at all, and only if it differs;
// never outside of its directory, over what is under version control or committed device
// code, or over another set's, by whatever link or mount these are reached. Options that
// write files besides the output are refused wherever they come from, and so are unknown
// ones of the host compiler that name a file that is there; where one wrote all the same
// over committed device code, over a tracked file that the options name or over one called
// after a source, the unit fails.
//
// It does not promise: the same bytes as in another directory (nvcc hashes its
// directory into the names of static variables; with debugging or line information
// lanes share nothing, since the paths are in it); a time as of today in a source
// with __TIME__; to notice a change of the assembler behind the host compiler, or of
// what a script in its place reads; to know what a command in $() or backquotes in a flag
// does; to see an asm whose word is pasted together by a macro; to see that an output is
// under version control where only another mount of its directory is; to notice
// an edit through a memory map that the file's times do not show yet.
//
// It runs nothing by itself: [Options.Exec] does.
package build
