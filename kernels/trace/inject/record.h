// A file of events that outlives a crash: it is mapped, and each event is whole once its
// kind is there. record.c writes it; kernels/trace reads it, and says what the fields mean.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum { HEAD = 4096, EVENT = 32 };

typedef struct {
	char magic[8]; // "gpuciTR1"
	uint32_t head, event, pid, parent;
	uint64_t start;               // of the process: ticks since the boot, as /proc has it
	uint64_t monotonic, realtime; // both clocks when the file was made, ns
	uint32_t cupti, driver;       // versions
	uint32_t state;
	int32_t error;                // CUPTI's, of NOT_ATTACHED
	_Atomic uint64_t claimed;     // events that threads have taken, in blocks
	_Atomic uint64_t dropped;     // events for which there was no room
	uint64_t ended;               // when the process ended by itself, monotonic; 0: it did not, or not yet
	char why[256];
	char command[64];
	uint32_t timed;               // whether times of the card are taken
	int32_t timed_error;          // CUPTI's, of NOT_TIMED
	_Atomic uint64_t unsaid;      // records that CUPTI dropped
	_Atomic uint64_t unwritten;   // records for which the disk had no room
	char timed_why[128];          // of NOT_TIMED, or why some are unwritten
} Head;

// timed: NOBODY_ASKED is that of a file of before as well.
enum { NOBODY_ASKED, TIMED, NOT_TIMED };

// state: MADE is left by a process that used NVTX and never CUDA, or that ended while CUPTI
// was attached. `why` is that of NOT_ATTACHED, or what was lost of what was recorded.
enum { MADE, ATTACHED, NOT_ATTACHED };

enum {
	LAUNCH = 1, // value: stream; name: kernel, grid, block
	GRAPH,      // value: stream; name: graph
	COPY,       // value: bytes; name: call
	SET,        // value: bytes; name: call
	SYNC,       // name: call
	ALLOC,      // value: bytes; name: call; other: its number, 0 where it is not followed
	RELEASE,    // value: bytes; name: call; other: the number of what is freed, 0: not known
	CAPTURE,    // value: stream; name: call; other: of an end, the graph's handle, the low half
	INSTANTIATE, // name: graph
	HANDLE,     // name: call (a module, a library, a function)
	PUSH,       // name: text; other: the number at its end, plus one; 0: none
	POP,        //
	OPEN,       // name: text; other: its number, likewise; value: the range's id
	CLOSE,      // value: the range's id
	MARK,       // name: text; other: its number
	PLACE = 16, // of the copy, set or allocation that is the thread's event before it, with its `at`. value: where to; name, other: where from, high and low half
	ALTER = 18, // name: call; other: of what, as below; value: the graph's handle, or the number of one that was made ready
	TIE = 17,   // other: the number on the card of the call whose event is the thread's next one
};

// other, of ALTER. SWITCHED: nodes of one that was made ready were switched off or on; value 0
// where it is not known of which.
enum { ANYTHING, GRAPH_OF, EXEC_OF, ANY_GRAPH, SWITCHED };

enum {
	FAILED = 1,   // the call gave an error
	CAPTURED = 2, // recorded into a graph, not run
	UNSIZED = 4,  // how many bytes is not known
	POOLED = 8,   // of a pool, in the order of a stream
};

typedef struct {
	uint64_t at;          // entry of the call, monotonic, ns
	uint32_t took;        // ns; all ones: 4.3 s or more
	uint32_t name;        // of the names file; 0: none
	uint64_t value;
	uint32_t other;
	uint16_t thread;      // counted from 1 in the order of their first event
	uint8_t flags;
	_Atomic uint8_t kind; // 0: none
} Event;

// Work is what a card did, of the file that ends in "device".
typedef struct {
	uint64_t start, end;  // of CUPTI's clock, ns; of a PAIR: ours, before and after it was asked
	uint64_t value;       // bytes of a copy or a set; of a graph: CUPTI's number; of a PAIR: CUPTI's clock
	uint32_t correlation; // the TIE of its call
	uint32_t context, stream; // CUPTI's numbers
	uint32_t name;        // of the names file: the symbol of a kernel
	uint16_t device;
	uint8_t kind;         // LAUNCH, GRAPH, COPY, SET, or PAIR; 0: none
	uint8_t way;          // of a copy: CUpti_ActivityMemcpyKind
	uint32_t unused;
} Work;

enum { PAIR = 32 };

// record_begin makes the files in the directory that GPUCI_TRACE_DIR names, once in a
// process, and says whether there are some. Nothing is recorded otherwise.
int record_begin(void);
Head *record_head(void);
void record(uint8_t kind, uint8_t flags, uint64_t at, uint32_t name, uint64_t value, uint32_t other);
void record_tie(uint64_t at, uint32_t correlation);

// record_why puts a reason into the head, where there is none yet.
void record_why(const char *why, const char *what);

// record_open opens the file of that ending, whose size is to be `size` at most; -1, with
// errno, where it is gone or the process may make none so large: the signal that the
// kernel would send for it is the program's end.
int record_open(const char *ending, uint64_t size);

// record_make makes the file of that ending, and says whether it could.
int record_make(const char *ending);

// record_forget is for a child that was forked and makes files of its own.
void record_forget(void);
void names_forget(void);

// name_of gives the number of a line of the names file, which it writes when it is new:
// the key is what makes it the same again.
uint32_t name_of(char type, const void *key, uint32_t size, const char *text);

// now is the clock of all times here.
static inline uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Aside is what a detour to the file system must leave as it was: the program's errno, and
// that the program's thread is not cancelled within.
typedef struct {
	int error, cancel;
} Aside;

static inline Aside aside(void) {
	Aside a = {errno, 0};
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &a.cancel);
	return a;
}

static inline void back(Aside a) {
	pthread_setcancelstate(a.cancel, 0);
	errno = a.error;
}
