/* mapper FILE: maps a file whose content never comes, and so stays in D with
 * the lock on its memory held. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0)
		return 1;
	alarm(120);
	mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	return 0;
}
