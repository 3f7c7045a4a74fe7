// Package tracetest is a stand-in for CUDA, for tests of tracing: a libcuda.so.1, a
// libcupti.so.13 and a program that plays calls from a script, compiled from C. The driver
// loads the library that CUDA_INJECTION64_PATH names in cuInit, as NVIDIA's does, and the
// CUPTI calls whoever subscribed before and after each call, with its arguments laid out
// as NVIDIA's headers have them. So the real injected library, the real loader and NVTX's
// real header run where there is no card.
//
// It is no CUPTI and no driver: nothing is computed or copied, and what a call takes is what
// it takes to do nothing. Where a tool asks CUPTI for the times of the card there is one that
// does nothing for as long as the script says, each stream one thing after the other, and
// for which synchronising calls wait; CUPTI_STANDIN_DROP=N has it lose one record of N,
// CUPTI_STANDIN_CLOCK=own take no clock of a tool's, CUPTI_STANDIN_ACTIVITY=ERROR refuse.
// What only NVIDIA's can show, as which calls the runtime makes, what CUPTI's own share is,
// and how near its times come, no test here shows.
//
// It has eight cards, of which CUDA_VISIBLE_DEVICES, a list of numbers, leaves some. Its
// calls are there by name, and by cuGetProcAddress for who asks so; some that bindings of
// other languages make at their beginning do nothing, and nobody hears of them.
//
// A script is lines; $ in one is the number of the thread, from 0.
//
//	init                                 cuInit; before it, CUDA is not loaded
//	device N                             a context of a card, made at the first time
//	launch|cooperative|ptsz KERNEL GRID BLOCK [STREAM [TIMES]]
//	ex KERNEL GRID BLOCK [STREAM]        cuLaunchKernelEx
//	grid KERNEL WIDTH                    cuLaunchGrid
//	reload KERNEL NEW                    unloads the module; NEW comes to the address of KERNEL
//	alloc|managed|create|host NAME BYTES
//	pitch NAME WIDTH HEIGHT
//	allocasync|pool NAME BYTES STREAM
//	free|release|freehost NAME, freeasync NAME STREAM
//	copy CALL BYTES [STREAM], set CALL N [STREAM], box CALL WIDTH HEIGHT [STREAM]
//	peer BYTES, set2d WIDTH HEIGHT, later (a copy that no CUDA has)
//	begin STREAM, finish STREAM GRAPH    a capture
//	child GRAPH OTHER                    OTHER as a node of GRAPH
//	make GRAPH                           without a capture, where the last one was that has one
//	update EXEC GRAPH, change            a graph that was made ready, or a node
//	other EXEC, switch EXEC              a kernel of one that was made ready is another; a node of it is off
//	instantiate GRAPH EXEC, replay EXEC [STREAM], destroy EXEC
//	sync [STREAM|event]
//	push|pushex|mark|open|close TEXT, pop, domain NAME push|pop|mark|open|close TEXT
//	fail CALL ERROR                      the next CALL gives it, and the program expects it
//	expect ERROR                         of the next line
//	cost NS                              what every call takes from now on
//	takes NS                             what all that is asked for takes on the card from now on
//	subscribe                            CUPTI, before anybody else
//	bench N KERNELS                      prints what a launch takes of the processor, some kernels in turn
//	await                                reads a line from stdin
//	say WORDS, maps FILE, sleep MS, closefds, unset VARIABLE, exit N, _exit N, abort, kill SIGNAL, exec SCRIPT
//	repeat N … end, threads N … end, fork … end
//
// A stream goes by any name; legacy is CUDA's 0, own that of the thread. The lines of NVTX
// need its header (nvidia-nvtx), which is looked for in Options.Include.
//
// A call that gives another error than expected ends the program with 98.
package tracetest
