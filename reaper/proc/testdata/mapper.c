/*
 * mapper map FILE: maps FILE, which may take for ever with the lock of this
 * process's memory held.
 * mapper args FILE PADDING: maps FILE over one page of its own arguments, in
 * the middle of the padding, and touches it no more.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void ready(void) {
	puts("ready");
	fflush(stdout);
}

int main(int argc, char **argv) {
	int fd;
	if (argc < 3 || (fd = open(argv[2], O_RDONLY)) < 0)
		return 2;
	if (strcmp(argv[1], "map") == 0) {
		ready();
		mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	} else {
		if (argc != 4 || strlen(argv[3]) < 3 * PAGE)
			return 3;
		void *page = (void *)(((uintptr_t)argv[3] + PAGE) / PAGE * PAGE);
		if (mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			return 4;
		ready();
	}
	for (;;)
		pause();
}
