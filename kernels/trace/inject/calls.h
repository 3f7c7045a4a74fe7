// What the driver's calls are, by their names: which are noted, as what, and where among
// their arguments that stands which is read of them.
#pragma once

#include <stdint.h>

enum { CALLS = 2048 }; // more than the driver has

enum { UNLOAD = 255 }; // a kind that is not noted: handles may come again after it

enum { // params: how the arguments are laid out
	NONE, // they are not read
	KERNEL, KERNEL_EX, KERNEL_MULTI, KERNEL_GRID, KERNEL_OLD,
	BYTES, PEER, BOX_2D, BOX_3D, COUNT, COUNT_2D,
	SIZE, PITCH, POINTER, CREATED, CREATION,
	GRAPH_ARGUMENTS, BEGINS, ENDS, MAKES_GRAPH, ALTERS_EXEC, ALTERS_NODE, SWITCHES_NODE,
};

typedef struct {
	uint8_t kind, flags, params;
	uint8_t element;    // bytes, of what a call sets
	uint8_t stream;     // where the stream is; 0: it has none
	uint8_t per_thread; // the stream 0 is the thread's own
	uint32_t name;      // number of the call's name
} Call;

// call_named says what the driver's call of a name is; 0: it is not noted.
int call_named(const char *name, Call *to);

// call_bytes is how many a call copies or sets.
uint64_t call_bytes(const Call *, const void *params);

// call_place is where a call copies or sets bytes that lie in a row, and where from; 0: they
// do not, or it is not read.
int call_place(const Call *, const void *params, uint64_t *to, uint64_t *from);

// call_stream is the one that a call is in the order of, where it has one that could be
// captured; else 0.
void *call_stream(const Call *, const void *params);
