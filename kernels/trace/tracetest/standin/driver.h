// What the halves of the stand-in driver share.
#pragma once

#include "hook.h"
#include "work.h"

#define API __attribute__((visibility("default")))

// around makes a call: whoever hooked hears of it before and after.
int around(unsigned id, const void *params, const char *symbol, int (*body)(const void *params));
int nothing(const void *params);

// driver_card is the card of a number that the program has for it; -1: it sees none of it.
int driver_card(int device);

typedef struct {
	int type;
	unsigned takes; // on the card
	void *child;
} Node;

typedef struct {
	size_t n;
	Node *node[4096];
} Graph;

typedef struct {
	int capturing;
	uint64_t id;
	Graph *graph;
	_Atomic uint64_t until; // it is at work
	uint32_t number;
} Stream;

enum { KERNEL_NODE, COPY_NODE, SET_NODE, HOST_NODE, CHILD_NODE, ALLOC_NODE = 10, FREE_NODE = 11 };

// captures puts a node into the graph that a stream is captured into, and says whether.
int captures(void *stream, int type);
Stream *work_stream(void *stream); // also the legacy one

// works has a stream do something for so long; unsigned is what the script says that it takes.
void works(uint32_t kind, Stream *, uint64_t ns, Ran);
unsigned work_takes(void);
void work_done(Stream *);
void driver_fill(Ran *); // whose it is
unsigned driver_call(void); // that this thread is in
