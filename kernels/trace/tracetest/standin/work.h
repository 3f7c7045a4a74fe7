// What the stand-in card did, and how the stand-in CUPTI has it.
#pragma once

#include <stdint.h>

enum { RAN_COPY = 1, RAN_SET = 2, RAN_KERNEL = 10, RAN_GRAPH = 51, RAN_OTHER = 17 };

// Ran is a piece of work, from when to when on CLOCK_MONOTONIC.
typedef struct {
	uint32_t kind;
	uint64_t start, end, bytes, graph;
	uint32_t correlation, context, stream, device, way;
	const char *name;
} Ran;

typedef void (*RanHook)(const Ran *);

// The records are as long as those of CUPTI 13.0, and have at its places what a tool for the
// times of the card reads; layout_test.go holds them against its headers.
typedef struct {
	uint32_t kind, a[3];
	uint64_t start, end, completed;
	uint32_t device, context, stream, b[10], correlation;
	int64_t grid_id;
	const char *name;
	uint64_t c[4];
	uint64_t node;
	uint32_t d, graph;
	uint64_t e[7];
} KernelRan; // CUpti_ActivityKernel10

typedef struct {
	uint32_t kind;
	uint8_t way, a[3];
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint64_t b[3];
	uint32_t graph, c;
	uint64_t d[2];
} CopyRan; // CUpti_ActivityMemcpy6

typedef struct {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint64_t a[5];
} SetRan; // CUpti_ActivityMemset4

typedef struct {
	uint32_t kind, correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
	uint64_t a[2];
} GraphRan; // CUpti_ActivityGraphTrace2

typedef struct {
	uint32_t kind;
	uint64_t a[5];
} OtherRan; // of a kind that nobody asked for
