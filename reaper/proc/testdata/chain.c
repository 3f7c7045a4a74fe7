/* chain SECONDS [MICROSECONDS]: forks, and ends as its child runs, which does the
 * same, after a pause if one is given. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);
	int pause = argc > 2 ? atoi(argv[2]) : 0;
	if (fork() != 0)
		return 0;
	while (now() < end) {
		if (fork() > 0)
			_exit(0);
		if (pause > 0)
			usleep(pause);
	}
	return 0;
}
