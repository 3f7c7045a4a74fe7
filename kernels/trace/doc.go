// Package trace counts what a program asks of CUDA without touching its code: launches by
// kernel, graph launches and what is in the graphs, copies, synchronising calls, memory,
// handles, each with its host time, by stage and step.
//
// A small library in C (inject) is loaded into the program by the driver itself, which
// looks at CUDA_INJECTION64_PATH when CUDA is first used: a program that never uses it
// does not load it. It subscribes to CUPTI's callbacks of the driver's calls, through
// which those of the CUDA runtime, cuBLAS, PyTorch, Triton and of bindings in other
// languages go as well, and notes each in a file per process, mapped, so that a crash
// loses nothing. Counts are exact. A host time is from a call's entry to its exit, CUPTI's
// own share in it; times of the card are taken where
// [Attachment] asks for them, by CUPTI's activity records, and cost more.
//
// Where CUPTI cannot be had, or is another profiler's, the file says so and the program
// runs on as it was. A profiler that comes later is refused by CUPTI: one at a time.
//
// What is captured into a graph is marked as not run. A call of a CUDA later than 13 is
// counted by what its name begins with, and its arguments are not read. A forked child
// is counted where it can use CUDA, which is where its parent has not; a program that
// becomes another by exec leaves files for each. Where a file cannot grow, on a full disk
// or by a limit, the program runs on, what is lost is counted and the file says why.
//
// [Library] makes the library, [Attach] the environment in which a program loads it. What
// it costs is some 0.15 us a launch of its own, and CUPTI's share besides.
//
// A recording is a directory; [ReadDir] reads it, [Process.Count] counts, and
// [Recording.Measure] gives single numbers, as a gate takes them. It never holds
// more than a piece of it.
package trace
