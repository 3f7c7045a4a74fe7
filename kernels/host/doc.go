// Package host reads the host's side of kernels out of its sources: which device code
// is loaded, which names are looked up in it, and what is launched with which
// arguments. It reads Rust (cudarc, cust), C++ and CUDA C++ (the driver's and the
// runtime's calls), and the simple forms of Python (pycuda, cupy, cuda-python).
//
// What it promises: it never panics and never hangs, whatever the text; the work is
// bounded by the length of the file. Comments, strings and code that is switched off
// are told from code. What is seen to be a load, a lookup or a launch and cannot be
// followed is said, in Unread.
//
// What it does not: compile. It follows a variable within one file, by its name and its
// block: bindings, fields of one name, parameters of functions that are called there.
// Macros are not expanded, names that are put together at run time are not guessed, and
// a size is given only where the source says the type plainly.
package host
