// Package launch says what a backend is asked to run, and what it answers: buffers
// of float32, a list of kernel launches over them, the outputs and what was seen to
// be wrong.
//
// It is plain data without a backend in it: kernels/simt runs a [Job] on the host,
// another may run the same one on a card. [Job.Check] refuses a job that no backend
// could give a meaning.
package launch
