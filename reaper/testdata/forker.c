/* forker chain: every 5 ms it forks a new generation, in a session of its own,
 * and ends. forker brood: it stays, and forks one every 5 ms that stays too.
 * forker once: it does what a short link does, and ends. */
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int chain = argc > 1 && strcmp(argv[1], "chain") == 0;
	time_t end = time(NULL) + 60;
	if (argc > 1 && strcmp(argv[1], "once") == 0) {
		usleep(50000);
		return 0;
	}
	while (time(NULL) < end) {
		usleep(5000);
		pid_t child = fork();
		if (child == 0)
			setsid();
		if (chain ? child > 0 : child == 0)
			break;
	}
	if (chain)
		return 0;
	alarm(60);
	for (;;)
		pause();
}
