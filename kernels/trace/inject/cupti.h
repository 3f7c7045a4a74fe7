// What is called of CUPTI and read of the driver's arguments, declared here: of CUDA 12 and
// 13 alike, so that the library is built with a C compiler and no toolkit, and none is
// linked. layout_test.go holds it against the headers of a CUPTI.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum { DRIVER_API = 1 } Domain;

enum { API_ENTER = 0, API_EXIT = 1 };

// CUptiResult: what is told apart.
enum { OK = 0, ERROR_END = 12, ERROR_NO_PRIVILEGE = 35, ERROR_OTHER_SUBSCRIBER = 39 };

// CallbackData is CUpti_CallbackData, of the domains of calls.
typedef struct {
	int site;
	const char *function;
	const void *params; // a structure of the call's arguments, in their order
	void *result;
	const char *symbol; // the kernel's name, of a launch alone
	void *context;
	uint32_t context_uid;
	uint64_t *own; // the same 8 bytes at entry and exit
	uint32_t correlation;
} CallbackData;

typedef void *Subscriber;
typedef void (*Callback)(void *user, Domain, uint32_t id, const void *data);

typedef struct {
	int (*subscribe)(Subscriber *, Callback, void *user);
	int (*enable)(uint32_t on, Subscriber, Domain, uint32_t id);
	int (*name)(Domain, uint32_t id, const char **);
	int (*version)(uint32_t *);
	int (*error)(int, const char **);
} Cupti;

// What the card did: records, of which these are the kinds that are asked for.
enum { OF_COPY = 1, OF_SET = 2, OF_KERNEL = 10, OF_GRAPH = 51 };

// The records as far as they are read. Each CUPTI has its own, longer ones; these fields
// have stayed where they are from that of CUDA 11.8 on. They are packed to 8 bytes.
typedef struct {
	uint32_t kind, not_read[3];
	uint64_t start, end; // ns; 0: not known, or it has not ended
	uint64_t completed;
	uint32_t device, context, stream;
	uint32_t not_read_either[10];
	uint32_t correlation;
	uint64_t grid_id;
	const char *name;
} KernelRecord;

typedef struct {
	uint32_t kind;
	uint8_t copy, ends[3]; // copy: which way
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
} CopyRecord;

typedef struct {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
} SetRecord;

typedef struct {
	uint32_t kind, correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
} GraphRecord;

typedef void (*BufferRequested)(uint8_t **buffer, size_t *size, size_t *records);
typedef void (*BufferCompleted)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

typedef struct {
	int (*enable)(uint32_t kind);
	int (*disable)(uint32_t kind);
	int (*buffers)(BufferRequested, BufferCompleted);
	int (*next)(uint8_t *buffer, size_t valid, void **record);
	int (*dropped)(void *context, uint32_t stream, size_t *);
	int (*flush)(uint32_t forced);
	int (*timestamp)(uint64_t *);
	int (*clock)(uint64_t (*)(void)); // since CUPTI 11.8: may be missing
} Activity;

// Of launches. Seven numbers are a shape: grid, block, shared memory.
typedef struct {
	void *function;
	unsigned grid[3], block[3], shared;
	void *stream;
} LaunchKernel; // also cuLaunchCooperativeKernel

typedef struct {
	unsigned grid[3], block[3], shared;
	void *stream;
} LaunchConfig;

typedef struct {
	const LaunchConfig *config;
	void *function;
} LaunchKernelEx;

typedef struct {
	LaunchKernel kernel;
	void **arguments;
} LaunchParams;

typedef struct {
	const LaunchParams *list;
	unsigned count;
} LaunchMulti;

typedef struct {
	void *function;
	int grid[2];
} LaunchGrid; // cuLaunch has the function alone

// Of memory.
typedef struct {
	uint64_t *pointer;
	size_t bytes;
	void *stream; // of cuMemAllocAsync
} Alloc; // also cuMemAllocManaged and cuMemCreate, which end otherwise

typedef struct {
	uint64_t *pointer;
	size_t bytes;
	void *pool, *stream;
} AllocFromPool;

typedef struct {
	uint64_t *pointer;
	size_t *pitch;
	size_t width, height;
} AllocPitch;

typedef struct {
	uint64_t pointer;
	void *stream; // of cuMemFreeAsync
} Free;

typedef struct {
	uint64_t to, from;
	size_t bytes;
	void *stream; // of each Async, as below
} Copy;

typedef struct {
	uint64_t to;
	void *to_context;
	uint64_t from;
	void *from_context;
	size_t bytes;
	void *stream;
} CopyPeer;

typedef struct {
	struct {
		char ends[2][56];
		size_t width, height;
	} const *box;
	void *stream;
} Copy2D;

typedef struct {
	struct {
		char ends[2][88];
		size_t width, height, depth;
	} const *box;
	void *stream;
} Copy3D; // also between cards

typedef struct {
	uint64_t to;
	unsigned value; // a char or a short in its first bytes
	size_t count;
	void *stream;
} Set;

typedef struct {
	uint64_t to;
	size_t pitch;
	unsigned value;
	size_t width, height;
	void *stream;
} Set2D;

// Of graphs and streams.
typedef struct {
	void *exec, *stream;
} GraphLaunch;

typedef struct {
	void **exec;
	void *graph;
} Instantiate;

typedef struct {
	void **graph;
} MakeGraph; // also cuGraphClone

typedef struct {
	void *exec;
} AlterExec;

typedef struct {
	void *stream;
} OnStream; // begin and end of a capture, a synchronisation

typedef struct {
	void *stream, **graph;
} EndCapture;
