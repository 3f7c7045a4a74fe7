// Package nvcc finds the CUDA compiler, and says of each place where one could
// have been why it was taken or not.
//
// It promises: what is found has been run; it is the whole of what a plain
// `nvcc -cubin x.cu` needs, with the options that are missing of it in
// [Found.Args]; a compiler that somebody named is taken or is an error, and never
// another in its stead.
//
// It does not promise that a program can be linked with it, nor that the host
// compiler suits it: nvcc says that itself.
package nvcc
