// The files of a process: made once, found by their path each time, since a program may
// close descriptors that it does not know, and be given their numbers again.
#define _GNU_SOURCE
#include "record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static _Atomic(Head *) head;
static char stem[4096];
static int begun;
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

Head *record_head(void) { return atomic_load_explicit(&head, memory_order_acquire); }

void record_why(const char *why, const char *what) {
	Head *h = record_head();
	if (h && !h->why[0]) snprintf(h->why, sizeof h->why, "%s%s%s", why, what ? ": " : "", what ? what : "");
}

// fits is whether a file may be as long: a write beyond that is a signal that ends the program.
static int fits(uint64_t size) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur) return 1;
	errno = EFBIG;
	return 0;
}

static void place(char *path, size_t size, const char *ending) { snprintf(path, size, "%s.%s", stem, ending); }

static int opened(const char *ending, int flags, uint64_t size) {
	char path[sizeof stem + 16];
	if (!fits(size)) return -1;
	place(path, sizeof path, ending);
	return open(path, O_RDWR | O_CLOEXEC | flags, 0666);
}

int record_open(const char *ending, uint64_t size) { return opened(ending, 0, size); }

int record_make(const char *ending) {
	int file = opened(ending, O_CREAT | O_EXCL, 0);
	if (file >= 0) close(file);
	return file >= 0;
}

static ssize_t content(const char *path, char *to, size_t size) {
	int f = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = f < 0 ? -1 : read(f, to, size - 1);
	if (f >= 0) close(f);
	to[n > 0 ? n : 0] = 0;
	return n;
}

// ticks is when this process began, the 22nd field of /proc/self/stat: with the pid it
// names a process for good.
static unsigned long long ticks(void) {
	char text[1024];
	if (content("/proc/self/stat", text, sizeof text) <= 0) return 0;
	char *p = strrchr(text, ')'); // a command may have blanks and brackets in it
	for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
	return p ? strtoull(p, 0, 10) : 0;
}

// named finds a name that is free: a process that has become another program by exec has
// the same number and beginning, as has one of another container.
static int named(const char *dir, unsigned long long start) {
	for (int image = 1; image < 1000; image++) {
		char more[16] = "";
		if (image > 1) snprintf(more, sizeof more, "-%d", image);
		errno = ENAMETOOLONG;
		if (snprintf(stem, sizeof stem, "%s/%d-%llu%s", dir, getpid(), start, more) >= (int)sizeof stem) return -1;
		int f = opened("events", O_CREAT | O_EXCL, HEAD);
		if (f >= 0 || errno != EEXIST) return f;
	}
	return -1;
}

static int allocated(int file) {
	int e;
	do e = posix_fallocate(file, 0, HEAD);
	while (e == EINTR);
	return e;
}

static void name(char *to, size_t size) {
	ssize_t n = content("/proc/self/comm", to, size);
	if (n > 0 && to[n - 1] == '\n') to[n - 1] = 0;
}

static void fill(Head *h, unsigned long long start) {
	struct timespec real;
	clock_gettime(CLOCK_REALTIME, &real);
	h->head = HEAD, h->event = EVENT, h->pid = getpid(), h->parent = getppid(), h->start = start;
	h->monotonic = now(), h->realtime = (uint64_t)real.tv_sec * 1000000000 + real.tv_nsec;
	name(h->command, sizeof h->command);
	memcpy(h->magic, "gpuciTR1", sizeof h->magic);
}

// A child that was forked writes nothing: what it maps is its parent's file. No driver lets
// it use CUDA where its parent did; where the parent has used NVTX alone, its cuInit brings
// it here again.
static void forked(void) {
	atomic_store(&head, 0);
	begun = 0;
	beginning = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	record_forget();
	names_forget();
}

static void ended(void) {
	Head *h = record_head();
	if (h) h->ended = now();
}

// made makes the files of this process. It leaves none where it cannot make all: one alone
// would be one of a process that was killed.
static Head *made(const char *dir, unsigned long long start) {
	char path[sizeof stem + 16];
	int file = named(dir, start);
	if (file < 0) return 0;
	int e = allocated(file);
	Head *h = e ? MAP_FAILED : mmap(0, HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (!e) e = errno;
	close(file);
	if (h != MAP_FAILED && record_make("names")) return h;
	if (h != MAP_FAILED) e = errno, munmap(h, HEAD);
	place(path, sizeof path, "events");
	unlink(path);
	errno = e;
	return 0;
}

// unmade says that this process could make no file, in one that is there from before and has
// a place for it.
static void unmade(const char *dir) {
	enum { PLACES = 64, PLACE = 64 }; // as in unmade.go
	int e = errno;
	char path[sizeof stem + 16], command[16], why[64], text[PLACE] = "";
	if (!fits(PLACES * PLACE) || snprintf(path, sizeof path, "%s/unmade", dir) >= (int)sizeof path) return;
	int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (file < 0) return;
	name(command, sizeof command);
	snprintf(text, sizeof text, "%d %s: %s", getpid(), command, strerror_r(e, why, sizeof why));
	if (pwrite(file, text, sizeof text, getpid() % PLACES * PLACE) < 0) {} // then nobody knows
	close(file);
}

static void begin(const char *dir) {
	static int before; // in this process or one that it was forked from
	unsigned long long start = ticks();
	Head *h = made(dir, start);
	if (!h) {
		unmade(dir);
		return;
	}
	fill(h, start);
	if (!before++) pthread_atfork(0, 0, forked), atexit(ended);
	atomic_store_explicit(&head, h, memory_order_release);
}

int record_begin(void) {
	Aside a = aside();
	pthread_mutex_lock(&beginning);
	const char *dir = getenv("GPUCI_TRACE_DIR");
	if (!begun++ && dir && dir[0] == '/') begin(dir);
	pthread_mutex_unlock(&beginning);
	back(a);
	return record_head() != 0;
}
