// A program that plays calls of CUDA from a script. See ../doc.go for what a line may say.
#define _GNU_SOURCE
#include "play.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 4096 };
static char *line[LINES];
static int lines;
static char **arguments;
static __thread int thread; // of a block of threads, from 0
static __thread void *context;

// gave holds a call's error against the one that the line before expected.
static __thread int expected;

void gave(char **w, int error) {
	if (error != expected) fprintf(stderr, "play: %s gave %d, not %d\n", w[0], error, expected), exit(98);
	expected = 0;
}

static void play(int from, int to);

// end_of is the line of the end of a block.
static int end_of(int from) {
	int depth = 1, i;
	for (i = from; i < lines; i++) {
		char *s = line[i] + strspn(line[i], " \t");
		if (!strncmp(s, "repeat ", 7) || !strncmp(s, "threads ", 8) || !strcmp(s, "fork")) depth++;
		if (!strcmp(s, "end") && !--depth) return i;
	}
	fail("a block has no end", line[from - 1]);
}

typedef struct {
	int from, to, n;
	void *context;
} Part;

static void *part(void *data) {
	Part *p = data;
	thread = p->n, context = p->context;
	if (context) ((int (*)(void *))cuda("cuCtxSetCurrent"))(context);
	play(p->from, p->to);
	return 0;
}

static void all(int n, int from, int to) {
	pthread_t *t = calloc(n, sizeof *t);
	Part *p = calloc(n, sizeof *p);
	for (int i = 0; i < n; i++) {
		p[i] = (Part){from, to, i, context};
		if (pthread_create(&t[i], 0, part, &p[i])) fail("no thread", "");
	}
	for (int i = 0; i < n; i++) pthread_join(t[i], 0);
	free(t), free(p);
}

static void forks(int from, int to) {
	int status;
	pid_t child = fork();
	if (!child) {
		play(from, to);
		exit(0);
	}
	while (waitpid(child, &status, 0) < 0) {}
	if (status) fprintf(stderr, "play: the child ended with %#x\n", status), exit(97);
}

// maps says whether a file is mapped into this process.
static void maps(const char *name) {
	char text[4096];
	int found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	while (f && fgets(text, sizeof text, f)) found |= strstr(text, name) != 0;
	if (f) fclose(f);
	printf("%s %s\n", name, found ? "is mapped" : "is not mapped");
}

// begin is what a program does before its first call: cuInit, and a context of a card.
static void begin(char **w) {
	gave(w, ((int (*)(unsigned))cuda("cuInit"))(0));
}

static void device(char **w) {
	void **c = thing("context", w[1]);
	if (!*c) gave(w, ((int (*)(void **, unsigned, int))cuda("cuCtxCreate_v2"))(c, 0, number(w[1])));
	context = *c;
	((int (*)(void *))cuda("cuCtxSetCurrent"))(context);
}

static void subscribe(void) {
	cuda("cuInit");
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW), *own;
	int (*f)(void **, void *, void *) = cupti ? (int (*)(void **, void *, void *))dlsym(cupti, "cuptiSubscribe") : 0;
	printf("subscribed %d\n", f ? f(&own, (void *)exit, 0) : -1);
}

static void say(char **w) {
	for (int i = 1; w[i]; i++) printf("%s%s", i > 1 ? " " : "", w[i]);
	puts("");
	fflush(stdout);
}

// await is back when somebody has written a line.
static void await(void) {
	char c = 0;
	while (read(0, &c, 1) == 1 && c != '\n') {}
}

static void word(char **w) {
	if (!strcmp(w[0], "init")) begin(w);
	else if (!strcmp(w[0], "device")) device(w);
	else if (!strcmp(w[0], "subscribe")) subscribe();
	else if (!strcmp(w[0], "say")) say(w);
	else if (!strcmp(w[0], "maps")) maps(w[1]);
	else if (!strcmp(w[0], "expect")) expected = number(w[1]);
	else if (!strcmp(w[0], "fail")) ((void (*)(const char *, int))cuda("standin_fail"))(w[1], expected = number(w[2]));
	else if (!strcmp(w[0], "cost")) ((void (*)(unsigned))cuda("standin_cost"))(number(w[1]));
	else if (!strcmp(w[0], "await")) await();
	else if (!strcmp(w[0], "takes")) ((void (*)(unsigned))cuda("standin_takes"))(number(w[1]));
	else if (!strcmp(w[0], "exit")) exit(number(w[1]));
	else if (!strcmp(w[0], "_exit")) _exit(number(w[1]));
	else if (!strcmp(w[0], "abort")) abort();
	else if (!strcmp(w[0], "kill")) raise(number(w[1]));
	else if (!strcmp(w[0], "sleep")) usleep(1000 * number(w[1]));
	else if (!strcmp(w[0], "unset")) unsetenv(w[1]);
	else if (!strcmp(w[0], "closefds")) for (int fd = 3; fd < 100; fd++) close(fd);
	else if (!strcmp(w[0], "exec")) execl(arguments[0], arguments[0], w[1], (char *)0), fail("exec", w[1]);
	else if (!cuda_line(w) && !range_line(w)) fail("no such line", w[0]);
}

// split makes words of a copy, with the thread's number in place of $.
static int split(const char *from, char *copy, size_t size, char **w) {
	size_t n = 0;
	for (; *from && n + 16 < size; from++) n += *from == '$' ? (size_t)sprintf(copy + n, "%d", thread) : (copy[n] = *from, 1);
	copy[n] = 0;
	int words = 0;
	char *rest = 0;
	for (char *s = strtok_r(copy, " \t", &rest); s && words < WORDS - 1; s = strtok_r(0, " \t", &rest)) w[words++] = s;
	w[words] = 0;
	return words;
}

static void play(int from, int to) {
	for (int i = from; i < to; i++) {
		char copy[10000], *w[WORDS];
		if (!split(line[i], copy, sizeof copy, w) || w[0][0] == '#') continue; // nothing, or a comment
		int fork_ = !strcmp(w[0], "fork"), threads = !strcmp(w[0], "threads"), repeat = !strcmp(w[0], "repeat");
		if (!fork_ && !threads && !repeat) {
			word(w);
			continue;
		}
		int end = end_of(i + 1);
		if (fork_) forks(i + 1, end);
		else if (threads) all(number(w[1]), i + 1, end);
		else for (uint64_t n = number(w[1]); n > 0; n--) play(i + 1, end);
		i = end;
	}
}

int main(int argc, char **argv) {
	static char text[10000];
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	if (!f) fail("no script", argv[1]);
	arguments = argv;
	while (lines < LINES && fgets(text, sizeof text, f)) {
		text[strcspn(text, "\n")] = 0;
		line[lines++] = strdup(text);
	}
	if (f != stdin) fclose(f);
	play(0, lines);
	return 0;
}
