// What the halves of the program that plays share.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WORDS = 12 };

// thing is where the program keeps what goes by a name: a kernel, a stream, a graph, memory.
void **thing(const char *kind, const char *name);
void *cuda(const char *function);
uint64_t number(const char *word);

// cuda_line plays a line that is a call, and range_line one of NVTX; 0: it is none.
int cuda_line(char **w);
int range_line(char **w);

_Noreturn void fail(const char *what, const char *which);
void gave(char **w, int error);
