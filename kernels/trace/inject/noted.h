// What is noted of each call when it is left, and before where it must be.
#pragma once

#include "calls.h"
#include "cupti.h"

// driver_begin finds what is asked of the driver itself. It asks nothing but its version.
void driver_begin(void);

// find puts a function of a library, or 0, into the pointer to a function that `to` points at.
void find(void *library, const char *name, void *to);
int driver_device(int *device);
void driver_card(int device, char *text, unsigned size); // "GPU-…\tname"
int driver_capturing(void *stream); // also where the capture has become invalid
void driver_nodes(void *graph, unsigned *of, int types);

// Captures.
int captured(void *stream); // CAPTURED, or 0
void capture_entered(const Call *, const CallbackData *);
void capture_left(const Call *, const CallbackData *, uint8_t flags);

void kernel_left(const Call *, const CallbackData *, uint8_t flags);
void kernels_unloaded(void);
void context_seen(uint32_t context);
void graph_instantiated(const CallbackData *, uint8_t flags);
void graph_altered(const Call *, const CallbackData *, uint8_t flags);
void graph_left(const Call *, const CallbackData *, uint8_t flags);
void alloc_left(const Call *, const CallbackData *, uint8_t flags);
void release_entered(const Call *, const CallbackData *);
void release_left(const Call *, const CallbackData *, uint8_t flags);

// Times of the card, where GPUCI_TRACE_TIMELINE asks for them: of the CUPTI that calls us.
void device_begin(void *library, int (*error)(int, const char **));
extern int device_timed; // each call's event has a TIE before it

// A table of what has a number: memory, by its address or handle, and graphs.
typedef struct {
	uint64_t bytes;
	uint32_t number;
} Held;
enum { MEMORY = 1, CREATED_MEMORY, EXEC }; // of which the key is
void hold(int of, uint64_t key, Held);
int held(int of, uint64_t key, Held *);
int let_go(int of, uint64_t key, Held *);
