// NVTX: its header loads what NVTX_INJECTION64_PATH names when it is first used, and this
// is that library too. CUPTI has ranges as well, but only those of the copy of it that
// NVTX loaded, which in a program with a CUPTI of its own is another one than ours.
#define _GNU_SOURCE
#include "record.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

// Of NVTX 3, nvtxTypes.h and nvToolsExt.h.
enum { CALLBACKS = 1, CORE = 1, CORE2 = 5, BYTES = 1, REGISTERED = 3 };

typedef void (*Function)(void);
typedef struct {
	size_t size;
	int (*table)(int module, Function ***table, unsigned *size);
} Callbacks;

typedef struct {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message; // a text, or a handle that registered() gave
} Attributes;

static __thread int depth;
static _Atomic uint64_t ranges;

// Text is a range's or a mark's: its name without the number that it ends with, and that
// plus one; 0: none. So a million steps have one name.
typedef struct {
	uint32_t name, number;
} Text;

enum { LONGEST = 256, DIGITS = 9 };

static Text named(const char *text) {
	if (!text) return (Text){0, 0};
	size_t length = strlen(text), end = length;
	while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9') end--;
	size_t digits = length - end;
	if (end == 0 || end >= LONGEST || digits == 0 || digits > DIGITS || (digits > 1 && text[end] == '0'))
		return (Text){name_of('T', text, length, text), 0};
	char begins[LONGEST];
	memcpy(begins, text, end);
	begins[end] = 0;
	return (Text){name_of('T', begins, end, begins), (uint32_t)strtoul(text + end, 0, 10) + 1};
}

static Text message(const Attributes *a) {
	int is_text = a && (a->message_type == BYTES || a->message_type == REGISTERED);
	return named(is_text ? a->message : 0);
}

static void mark(Text t) { record(MARK, 0, now(), t.name, 0, t.number); }

static int push(Text t) {
	record(PUSH, 0, now(), t.name, 0, t.number);
	return depth++;
}

static uint64_t open_range(Text t) {
	uint64_t id = atomic_fetch_add(&ranges, 1) + 1;
	record(OPEN, 0, now(), t.name, id, t.number);
	return id;
}

static void mark_ex(const Attributes *a) { mark(message(a)); }
static void mark_a(const char *text) { mark(named(text)); }
static uint64_t start_ex(const Attributes *a) { return open_range(message(a)); }
static uint64_t start_a(const char *text) { return open_range(named(text)); }
static void end(uint64_t id) { record(CLOSE, 0, now(), 0, id, 0); }
static int push_ex(const Attributes *a) { return push(message(a)); }
static int push_a(const char *text) { return push(named(text)); }

static int pop(void) {
	if (depth == 0) return -1; // there is none of this thread
	record(POP, 0, now(), 0, 0, 0);
	return --depth;
}

static void domain_mark(void *domain, const Attributes *a) { (void)domain, mark(message(a)); }
static uint64_t domain_start(void *domain, const Attributes *a) { return (void)domain, open_range(message(a)); }
static void domain_end(void *domain, uint64_t id) { (void)domain, end(id); }
static int domain_push(void *domain, const Attributes *a) { return (void)domain, push(message(a)); }
static int domain_pop(void *domain) { return (void)domain, pop(); }
static void *registered(void *domain, const char *text) { return (void)domain, text ? strdup(text) : 0; }
static void *created(const char *name) { return name ? strdup(name) : 0; }

typedef struct {
	unsigned id;
	Function f;
} Installed;

#define AS(id, f) {id, (Function)f}
static const Installed core[] = {
	AS(1, mark_ex), AS(2, mark_a), AS(4, start_ex), AS(5, start_a), AS(7, end), AS(8, push_ex), AS(9, push_a), AS(11, pop),
};
static const Installed core2[] = {
	AS(1, domain_mark), AS(2, domain_start), AS(3, domain_end), AS(4, domain_push), AS(5, domain_pop), AS(10, registered), AS(12, created),
};

static void set(const Callbacks *c, int module, const Installed *list, size_t n) {
	Function **table = 0;
	unsigned size = 0;
	if (!c->table(module, &table, &size) || !table) return;
	for (size_t i = 0; i < n; i++)
		if (list[i].id < size && table[list[i].id]) *table[list[i].id] = list[i].f;
}

// InitializeInjectionNvtx2 is what NVTX calls; 1 says that its functions were taken.
EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t)) {
	const Callbacks *c = tables(CALLBACKS);
	if (!c || c->size < sizeof *c || !record_begin()) return 0;
	set(c, CORE, core, sizeof core / sizeof *core);
	set(c, CORE2, core2, sizeof core2 / sizeof *core2);
	return 1;
}
