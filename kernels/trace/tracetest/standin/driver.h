// What the halves of the stand-in driver share.
#pragma once

#include "hook.h"

#define API __attribute__((visibility("default")))

// around makes a call: whoever hooked hears of it before and after.
int around(unsigned id, const void *params, const char *symbol, int (*body)(const void *params));
int nothing(const void *params);

typedef struct {
	int type;
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
} Stream;

enum { KERNEL_NODE, COPY_NODE, SET_NODE, HOST_NODE, CHILD_NODE, ALLOC_NODE = 10, FREE_NODE = 11 };

// captures puts a node into the graph that a stream is captured into, and says whether.
int captures(void *stream, int type);
