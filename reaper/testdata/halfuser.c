/* halfuser: changes its real user and keeps its effective one, so that it is not
   one user's alone; and waits. */
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
	if (setresuid(65534, 0, 0) != 0)
		return 1;
	alarm(120);
	for (;;)
		pause();
}
