// The names that were given a number, by a hash of their key. Two keys of one hash of 64
// bits would share a number; a run has some thousands.
#define _GNU_SOURCE
#include "record.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 1 << 16 };
static struct {
	_Atomic uint64_t hash;
	_Atomic uint32_t number;
} slot[SLOTS];
static uint32_t given;
static uint64_t written; // bytes of whole lines
static int broken;       // a line could not be written: none is from then on
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hashed(char type, const void *key, uint32_t size) { // FNV-1a
	uint64_t h = 14695981039346656037u;
	const unsigned char *p = key;
	h = (h ^ (unsigned char)type) * 1099511628211u;
	for (uint32_t i = 0; i < size; i++) h = (h ^ p[i]) * 1099511628211u;
	return h | 1; // 0 is an empty slot
}

static int whole(int file, const char *text, int size) {
	for (int done = 0; done < size;) {
		ssize_t n = pwrite(file, text + done, size - done, written + done);
		if (n < 0 && errno != EINTR) return 0;
		if (n > 0) done += n;
	}
	return 1;
}

// put writes a line, whole or not at all.
static int put(const char *text, int size) {
	int file = record_open("names", written + size);
	if (file < 0) return 0;
	int done = whole(file, text, size), e = errno;
	if (done)
		written += size;
	else if (ftruncate(file, written))
		e = errno;
	close(file);
	errno = e;
	return done;
}

static void line(uint32_t number, char type, const char *text) {
	char buffer[8192], why[128];
	int n = snprintf(buffer, sizeof buffer - 1, "%u\t%c\t%s", number, type, text);
	if (n >= (int)sizeof buffer - 1) n = sizeof buffer - 2;
	for (int i = 0; i < n; i++)
		if (buffer[i] == '\n') buffer[i] = ' ';
	buffer[n++] = '\n';
	if (broken || put(buffer, n)) return;
	broken = 1;
	record_why("the rest of the names could not be written", strerror_r(errno, why, sizeof why));
}

// entered gives a slot to a hash, unless another has taken it meanwhile.
static void entered(uint32_t at, uint64_t hash, char type, const char *text) {
	Aside a = aside();
	pthread_mutex_lock(&naming);
	if (!atomic_load(&slot[at].hash)) {
		uint32_t number = ++given;
		line(number, type, text);
		atomic_store(&slot[at].number, number);
		atomic_store_explicit(&slot[at].hash, hash, memory_order_release);
	}
	pthread_mutex_unlock(&naming);
	back(a);
}

uint32_t name_of(char type, const void *key, uint32_t size, const char *text) {
	if (!record_head()) return 0;
	uint64_t h = hashed(type, key, size), there;
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint32_t at = (h + i) % SLOTS;
		if (!(there = atomic_load_explicit(&slot[at].hash, memory_order_acquire))) {
			entered(at, h, type, text);
			there = atomic_load_explicit(&slot[at].hash, memory_order_acquire);
		}
		if (there == h) return atomic_load(&slot[at].number);
	}
	return 0; // more names than there are slots: the event has none
}

void names_forget(void) {
	naming = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; given && i < SLOTS; i++) {
		slot[i].hash = 0;
		slot[i].number = 0;
	}
	given = 0, written = 0, broken = 0;
}
