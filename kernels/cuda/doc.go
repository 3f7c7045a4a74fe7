// Package cuda runs jobs of kernels/launch on an NVIDIA card, each in a child process of
// its own: the program gpuci-cuda, which alone links against the driver. One illegal
// address ruins a CUDA context for good, a kernel can wait for ever, and a machine can
// have no driver at all: all three end the child, and never whoever asked.
//
// [Request] and [Answer] are what passes between the two, JSON on standard input and a
// line of JSON for each answer. [Program] implements launch.Backend.
//
// It promises: an answer counts only with its last line, "done"; launches and
// allocations are those that the child's own functions counted; an output that no
// kernel wrote, an input that one wrote and a write just beyond a buffer are findings;
// a child that does not come to its end is ended with all that it started. Under a tool
// of compute-sanitizer a report that is missing or cannot be read is an error and never
// clean. It does not promise to see a write far beyond a buffer, or any read beyond one:
// without a tool nobody watches these.
package cuda
