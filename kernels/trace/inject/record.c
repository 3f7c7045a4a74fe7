// The events, in pieces of a file that are mapped one after the other.
#define _GNU_SOURCE
#include "record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BLOCK = 64,          // events that a thread takes at once: no two write to one cache line
	PIECE = 1 << 15,     // events of a mapping, 1 MiB
	PIECES = 1 << 16,    // 64 GiB, more than any run has
	LATEST = UINT32_MAX, // of `took`
};

static _Atomic(Event *) piece[PIECES];
static _Atomic int full; // there is no room for another piece
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t threads;

static __thread struct {
	Event *next, *end; // of its block
	uint16_t number;
} mine;

static Event *map(uint64_t n) {
	off_t at = HEAD + (off_t)n * PIECE * EVENT;
	int file = record_open("events", at + PIECE * EVENT);
	if (file < 0) return 0;
	int e;
	do e = posix_fallocate(file, at, PIECE * EVENT);
	while (e == EINTR);
	errno = e;
	Event *p = e ? MAP_FAILED : mmap(0, PIECE * EVENT, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
	e = errno;
	close(file);
	errno = e;
	return p == MAP_FAILED ? 0 : p;
}

// mapped is a piece of the file; none where the disk has no room, which must not be found
// out by a store. It is asked once: a program that goes on without us goes on fast.
static Event *mapped(uint64_t n) {
	if (n >= PIECES) return 0;
	Event *p = atomic_load_explicit(&piece[n], memory_order_acquire);
	if (p || full) return p;
	Aside a = aside();
	pthread_mutex_lock(&growing);
	p = atomic_load(&piece[n]);
	if (!p && !full) {
		char text[128];
		p = map(n);
		atomic_store_explicit(&piece[n], p, memory_order_release);
		if (!p) {
			record_why("the rest of the calls had no room", strerror_r(errno, text, sizeof text));
			full = 1;
		}
	}
	pthread_mutex_unlock(&growing);
	back(a);
	return p;
}

// room is the first event of the next block of this thread.
static Event *room(Head *head) {
	// The numbers begin again after 65535: two threads may then have one.
	if (!mine.number) mine.number = atomic_fetch_add(&threads, 1) + 1;
	mine.next = mine.end = 0;
	if (full) return 0;
	uint64_t n = atomic_fetch_add(&head->claimed, BLOCK);
	Event *p = mapped(n / PIECE);
	if (!p) return 0;
	mine.next = p + n % PIECE, mine.end = mine.next + BLOCK;
	return mine.next;
}

// next is where a thread's next event goes; 0: there is no room.
static Event *next(Head *head) {
	Event *e = mine.next != mine.end ? mine.next : room(head);
	if (e)
		mine.next = e + 1;
	else
		atomic_fetch_add(&head->dropped, 1);
	return e;
}

void record(uint8_t kind, uint8_t flags, uint64_t at, uint32_t name, uint64_t value, uint32_t other) {
	uint64_t took = now() - at;
	Head *head = record_head();
	Event *e = head ? next(head) : 0;
	if (!e) return;
	e->at = at, e->took = took < LATEST ? took : LATEST, e->name = name, e->value = value;
	e->other = other, e->thread = mine.number, e->flags = flags;
	atomic_store_explicit(&e->kind, kind, memory_order_release);
}

void record_tie(uint64_t at, uint32_t correlation) {
	Head *head = record_head();
	Event *e = head ? next(head) : 0;
	if (!e) return;
	e->at = at, e->other = correlation, e->thread = mine.number;
	atomic_store_explicit(&e->kind, TIE, memory_order_release);
}

// record_forget leaves the parent's pieces where they are mapped.
void record_forget(void) {
	growing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (int n = 0; n < PIECES && piece[n]; n++) atomic_store(&piece[n], (Event *)0);
	atomic_store(&full, 0);
	atomic_store(&threads, 0);
	memset(&mine, 0, sizeof mine);
}
