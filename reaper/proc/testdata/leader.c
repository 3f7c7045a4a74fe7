/* Its first thread ends, a second one goes on: the process shows as Z. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *rest(void *unused) {
	(void)unused;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

int main(void) {
	pthread_t t;
	if (pthread_create(&t, NULL, rest, NULL) != 0)
		return 1;
	pthread_exit(NULL);
}
