/* Takes the flock of a file and keeps it: asleep, stopped, or with a thread that
   waits in D, as for a disk. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *in_d(void *unused) {
	(void)unused;
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return NULL;
}

int main(int argc, char **argv) {
	int fd = open(argv[1], O_RDWR);
	pthread_t thread;
	if (argc < 3 || fd < 0 || flock(fd, LOCK_EX) != 0)
		return 1;
	if (strcmp(argv[2], "disk") == 0)
		pthread_create(&thread, NULL, in_d, NULL);
	puts("ready");
	fflush(stdout);
	if (strcmp(argv[2], "stopped") == 0)
		raise(SIGSTOP);
	for (;;)
		pause();
}
