/* A stand-in for libnvidia-ml.so.1 and, with -DSMI, for nvidia-smi. What it says it
 * reads from the text file that NVML_STANDIN names, anew at each call; devicetest's
 * documentation has the lines. Types are declared here as nvml.h's callers expect
 * them, and only what gpuci asks is here. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define CARDS 16
#define PARTS 8
#define PROCS 256
typedef unsigned long long u64;

struct part { char uuid[96]; u64 memory; int gi, ci; };
struct card {
	char uuid[96], name[96], bus[32];
	u64 total, reserved, used, throttle;
	int major, minor, util, sm, temp, power, mig, parts;
	struct part part[PARTS];
};
struct proc { int card, pid, gi, ci, told; char kind[16]; u64 bytes; };
struct use { int card, pid, sm; };
static struct state {
	int cards, procs, uses, nocap;
	char driver[64];
	int cuda;
	struct card card[CARDS];
	struct proc proc[PROCS];
	struct use use[PROCS];
	int hang, error, crash;
	struct proc begins;
} S;
static int begun; /* that process, in the eyes of this one */

/* alive: a process whose memory is gone is listed no more; a zombie's is. */
static int alive(int pid) {
	char path[64], line[512], *p;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	if (!f) return 0;
	size_t n = fread(line, 1, sizeof line - 1, f);
	fclose(f);
	line[n] = 0;
	p = strrchr(line, ')');
	return p && p[2] != 'Z' && p[2] != 'X';
}

static struct card *at(int n) {
	if (n < 0 || n >= CARDS) return &S.card[CARDS - 1];
	while (S.cards <= n) {
		struct card *c = &S.card[S.cards];
		snprintf(c->uuid, sizeof c->uuid, "GPU-%08x-0000-4000-8000-%012x", 0xabc0 + S.cards, S.cards);
		snprintf(c->bus, sizeof c->bus, "00000000:%02X:00.0", 0x18 + S.cards);
		strcpy(c->name, "NVIDIA H200");
		c->total = 150754820096ull, c->reserved = 644874240ull;
		c->major = 9, c->sm = 1980, c->temp = 31, c->power = 76310, c->throttle = 1;
		S.cards++;
	}
	return &S.card[n];
}

static void card_line(int n, const char *what, char *rest) {
	struct card *c = at(n);
	u64 v = strtoull(rest, 0, 0);
	if (!strcmp(what, "uuid")) snprintf(c->uuid, sizeof c->uuid, "%s", rest);
	else if (!strcmp(what, "name")) snprintf(c->name, sizeof c->name, "%s", rest);
	else if (!strcmp(what, "bus")) snprintf(c->bus, sizeof c->bus, "%s", rest);
	else if (!strcmp(what, "total")) c->total = v;
	else if (!strcmp(what, "reserved")) c->reserved = v;
	else if (!strcmp(what, "used")) c->used = v;
	else if (!strcmp(what, "cc")) sscanf(rest, "%d %d", &c->major, &c->minor);
	else if (!strcmp(what, "util")) c->util = v;
	else if (!strcmp(what, "sm")) c->sm = v;
	else if (!strcmp(what, "temp")) c->temp = v;
	else if (!strcmp(what, "power")) c->power = v;
	else if (!strcmp(what, "throttle")) c->throttle = v;
}

static void part_line(int n, int k, const char *what, char *rest) {
	struct card *c = at(n);
	if (k < 0 || k >= PARTS) return;
	while (c->parts <= k) {
		struct part *p = &c->part[c->parts];
		snprintf(p->uuid, sizeof p->uuid, "MIG-%08x-0000-4000-8000-%012x", n, c->parts);
		p->memory = 16ull << 30, p->gi = c->parts + 1, p->ci = 0;
		c->parts++;
	}
	if (!strcmp(what, "uuid")) snprintf(c->part[k].uuid, 96, "%s", rest);
	else if (!strcmp(what, "memory")) c->part[k].memory = strtoull(rest, 0, 0);
	else if (!strcmp(what, "gi")) c->part[k].gi = atoi(rest);
}

static int proc_read(const char *rest, struct proc *to) {
	struct proc p = {.gi = -1, .ci = -1};
	long long bytes = -1;
	if (sscanf(rest, "%d %15s %d %lld %d %d", &p.card, p.kind, &p.pid, &bytes, &p.gi, &p.ci) < 3) return 0;
	p.told = bytes >= 0, p.bytes = bytes < 0 ? 0 : bytes;
	*to = p;
	return 1;
}

static void proc_line(char *rest, int ghost) {
	struct proc p;
	if (!proc_read(rest, &p)) return;
	if (S.procs == PROCS || (!ghost && !alive(p.pid))) return;
	at(p.card);
	S.proc[S.procs++] = p;
	if (!ghost) at(p.card)->used += p.bytes;
}

/* load reads the state; call is what is being asked. */
static void load(const char *call) {
	char line[512], word[64], what[64];
	int n, k, end;
	memset(&S, 0, sizeof S);
	strcpy(S.driver, "580.159.04");
	S.cuda = 13000;
	const char *path = getenv("NVML_STANDIN");
	FILE *f = path ? fopen(path, "r") : 0;
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%63s %n", word, &end) != 1) continue;
		char *rest = line + end;
		if (!strcmp(word, "clear")) { S.cards = S.procs = S.uses = S.hang = S.error = S.crash = 0; memset(S.card, 0, sizeof S.card); }
		else if (!strcmp(word, "driver")) snprintf(S.driver, sizeof S.driver, "%s", rest);
		else if (!strcmp(word, "cuda")) S.cuda = atoi(rest);
		else if (!strcmp(word, "card") && sscanf(rest, "%d %63s %n", &n, what, &end) == 2) card_line(n, what, rest + end);
		else if (!strcmp(word, "mig") && sscanf(rest, "%d %d", &n, &k) == 2) at(n)->mig = k;
		else if (!strcmp(word, "instance") && sscanf(rest, "%d %d %63s %n", &n, &k, what, &end) == 3) part_line(n, k, what, rest + end);
		else if (!strcmp(word, "process")) proc_line(rest, 0);
		else if (!strcmp(word, "ghost")) proc_line(rest, 1);
		else if (!strcmp(word, "begins") && proc_read(rest, &S.begins) && begun) proc_line(rest, 0);
		else if (!strcmp(word, "use") && S.uses < PROCS && sscanf(rest, "%d %d %d", &S.use[S.uses].card, &S.use[S.uses].pid, &S.use[S.uses].sm) == 3) S.uses++;
		else if (!strcmp(word, "hang") && !strcmp(rest, call)) S.hang = 1;
		else if (!strcmp(word, "crash") && !strcmp(rest, call)) S.crash = 1;
		else if (!strcmp(word, "error") && sscanf(rest, "%63s %d", what, &n) == 2 && !strcmp(what, call)) S.error = n;
	}
	if (f) fclose(f);
}

static u64 part_used(int card, int k) {
	u64 sum = 0;
	for (int i = 0; i < S.procs; i++)
		if (S.proc[i].card == card && S.proc[i].gi == S.card[card].part[k].gi) sum += S.proc[i].bytes;
	return sum;
}

#ifndef SMI

static struct handle { int card, part; } H[CARDS][PARTS + 1];

static int enter(const char *call) {
	load(call);
	while (S.hang) pause();
	if (S.crash) *(volatile int *)0 = 0;
	return S.error;
}
#define ENTER(call) do { int e = enter(call); if (e) return e; } while (0)

const char *nvmlErrorString(int code) {
	switch (code) {
	case 3: return "Not Supported";
	case 4: return "Insufficient Permissions";
	case 9: return "Driver Not Loaded";
	case 15: return "GPU is lost";
	case 18: return "Driver/library version mismatch";
	}
	return "Unknown Error";
}
int nvmlInit_v2(void) { ENTER("Init_v2"); return 0; }
int nvmlShutdown(void) { return 0; }
static int say(char *into, unsigned n, const char *text) { snprintf(into, n, "%s", text); return 0; }
int nvmlSystemGetDriverVersion(char *v, unsigned n) { ENTER("SystemGetDriverVersion"); return say(v, n, S.driver); }
int nvmlSystemGetNVMLVersion(char *v, unsigned n) { return say(v, n, "13.580.159.04"); }
int nvmlSystemGetCudaDriverVersion_v2(int *v) { ENTER("SystemGetCudaDriverVersion_v2"); *v = S.cuda; return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { ENTER("DeviceGetCount_v2"); *n = S.cards; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct handle **h) {
	ENTER("DeviceGetHandleByIndex_v2");
	if (i >= (unsigned)S.cards) return 2;
	H[i][0].card = i, H[i][0].part = -1;
	*h = &H[i][0];
	return 0;
}
int nvmlDeviceGetUUID(struct handle *h, char *v, unsigned n) {
	ENTER("DeviceGetUUID");
	return say(v, n, h->part < 0 ? S.card[h->card].uuid : S.card[h->card].part[h->part].uuid);
}
int nvmlDeviceGetName(struct handle *h, char *v, unsigned n) { ENTER("DeviceGetName"); return say(v, n, S.card[h->card].name); }
struct pci { char legacy[16]; unsigned domain, bus, device, id, sub; char busid[32]; };
int nvmlDeviceGetPciInfo_v3(struct handle *h, struct pci *p) {
	ENTER("DeviceGetPciInfo_v3");
	memset(p, 0, sizeof *p);
	return say(p->busid, sizeof p->busid, S.card[h->card].bus);
}
int nvmlDeviceGetMinorNumber(struct handle *h, unsigned *n) { ENTER("DeviceGetMinorNumber"); *n = h->card; return 0; }
int nvmlDeviceGetCudaComputeCapability(struct handle *h, int *a, int *b) {
	ENTER("DeviceGetCudaComputeCapability");
	*a = S.card[h->card].major, *b = S.card[h->card].minor;
	return 0;
}
struct mem2 { unsigned version; u64 total, reserved, free, used; };
int nvmlDeviceGetMemoryInfo_v2(struct handle *h, struct mem2 *m) {
	ENTER("DeviceGetMemoryInfo_v2");
	struct card *c = &S.card[h->card];
	if (S.begins.pid && S.begins.card == h->card) {
		if (!begun) usleep(50000), c->used += S.begins.bytes;
		begun = !begun; /* and once that was told, it is another one that begins */
	}
	m->total = c->total, m->reserved = c->reserved, m->used = c->used;
	if (h->part >= 0) m->total = c->part[h->part].memory, m->reserved = 0, m->used = part_used(h->card, h->part);
	m->free = m->total - m->reserved - m->used;
	return 0;
}
int nvmlDeviceGetMigMode(struct handle *h, unsigned *now, unsigned *pending) {
	ENTER("DeviceGetMigMode");
	*now = *pending = S.card[h->card].mig;
	return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(struct handle *h, unsigned *n) { ENTER("DeviceGetMaxMigDeviceCount"); *n = PARTS; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(struct handle *h, unsigned i, struct handle **m) {
	ENTER("DeviceGetMigDeviceHandleByIndex");
	if (i >= (unsigned)S.card[h->card].parts) return 6;
	H[h->card][i + 1].card = h->card, H[h->card][i + 1].part = i;
	*m = &H[h->card][i + 1];
	return 0;
}
int nvmlDeviceGetGpuInstanceId(struct handle *h, unsigned *id) { load(""); *id = S.card[h->card].part[h->part].gi; return 0; }
int nvmlDeviceGetComputeInstanceId(struct handle *h, unsigned *id) { load(""); *id = S.card[h->card].part[h->part].ci; return 0; }

struct info { unsigned pid; u64 used; unsigned gi, ci; };
static int list(struct handle *h, const char *kind, unsigned *n, struct info *out) {
	unsigned room = *n, found = 0;
	for (int i = 0; i < S.procs; i++) {
		struct proc *p = &S.proc[i];
		if (p->card != h->card || strcmp(p->kind, kind)) continue;
		if (h->part >= 0 && p->gi != S.card[h->card].part[h->part].gi) continue;
		if (found < room) out[found] = (struct info){p->pid, p->told ? p->bytes : ~0ull, p->gi, p->ci};
		found++;
	}
	*n = found;
	return found > room ? 7 : 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(struct handle *h, unsigned *n, struct info *out) { ENTER("DeviceGetComputeRunningProcesses_v3"); return list(h, "compute", n, out); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(struct handle *h, unsigned *n, struct info *out) { ENTER("DeviceGetGraphicsRunningProcesses_v3"); return list(h, "graphics", n, out); }
int nvmlDeviceGetMPSComputeRunningProcesses_v3(struct handle *h, unsigned *n, struct info *out) { ENTER("DeviceGetMPSComputeRunningProcesses_v3"); return list(h, "mps", n, out); }

struct sample { unsigned pid; u64 at; unsigned sm, mem, enc, dec; };
int nvmlDeviceGetProcessUtilization(struct handle *h, struct sample *out, unsigned *n, u64 since) {
	ENTER("DeviceGetProcessUtilization");
	struct timeval t;
	gettimeofday(&t, 0);
	unsigned room = out ? *n : 0, found = 0;
	for (int i = 0; i < S.uses; i++) {
		if (S.use[i].card != h->card) continue;
		if (found < room) out[found] = (struct sample){S.use[i].pid, t.tv_sec * 1000000ull + t.tv_usec, S.use[i].sm, 0, 0, 0};
		found++;
	}
	*n = found;
	return found == 0 ? 6 : found > room ? 7 : 0;
}
struct rates { unsigned gpu, memory; };
int nvmlDeviceGetUtilizationRates(struct handle *h, struct rates *r) { ENTER("DeviceGetUtilizationRates"); r->gpu = S.card[h->card].util, r->memory = 0; return 0; }
int nvmlDeviceGetClockInfo(struct handle *h, int type, unsigned *mhz) { ENTER("DeviceGetClockInfo"); *mhz = type == 2 ? 3201 : S.card[h->card].sm; return 0; }
int nvmlDeviceGetMaxClockInfo(struct handle *h, int type, unsigned *mhz) { ENTER("DeviceGetMaxClockInfo"); *mhz = type == 2 ? 3201 : 1980; return 0; }
int nvmlDeviceGetTemperature(struct handle *h, int sensor, unsigned *c) { ENTER("DeviceGetTemperature"); *c = S.card[h->card].temp; return 0; }
int nvmlDeviceGetPowerUsage(struct handle *h, unsigned *mw) { ENTER("DeviceGetPowerUsage"); *mw = S.card[h->card].power; return 0; }
int nvmlDeviceGetCurrentClocksEventReasons(struct handle *h, u64 *bits) { ENTER("DeviceGetCurrentClocksEventReasons"); *bits = S.card[h->card].throttle; return 0; }

#else

static void tag(const char *name, const char *fmt, u64 v) {
	printf("<%s>", name);
	printf(fmt, v);
	printf("</%s>\n", name);
}

static void memory(u64 total, u64 reserved, u64 used) {
	puts("<fb_memory_usage>");
	tag("total", "%llu MiB", total >> 20);
	tag("reserved", "%llu MiB", reserved >> 20);
	tag("used", "%llu MiB", used >> 20);
	tag("free", "%llu MiB", (total - reserved - used) >> 20);
	puts("</fb_memory_usage>");
}

static void card(int n) {
	struct card *c = &S.card[n];
	printf("<gpu id=\"%s\">\n<product_name>%s</product_name>\n<uuid>%s</uuid>\n", c->bus, c->name, c->uuid);
	printf("<minor_number>%d</minor_number>\n<pci><pci_bus_id>%s</pci_bus_id></pci>\n", n, c->bus);
	printf("<mig_mode><current_mig>%s</current_mig></mig_mode>\n", c->mig ? "Enabled" : "Disabled");
	memory(c->total, c->reserved, c->used);
	tag("utilization", "<gpu_util>%llu %%</gpu_util><memory_util>0 %%</memory_util>", c->util);
	tag("temperature", "<gpu_temp>%llu C</gpu_temp>", c->temp);
	tag("clocks", "<sm_clock>%llu MHz</sm_clock><mem_clock>3201 MHz</mem_clock>", c->sm);
	printf("<gpu_power_readings><instant_power_draw>%d.%02d W</instant_power_draw></gpu_power_readings>\n<processes>\n", c->power / 1000, c->power % 1000 / 10);
	for (int i = 0; i < S.procs; i++) {
		struct proc *p = &S.proc[i];
		if (p->card != n) continue;
		printf("<process_info><gpu_instance_id>N/A</gpu_instance_id><compute_instance_id>N/A</compute_instance_id><pid>%d</pid><type>%s</type>", p->pid, p->kind[0] == 'g' ? "G" : "C");
		printf("<process_name>[Not Found]</process_name>");
		if (p->told) printf("<used_memory>%llu MiB</used_memory>", p->bytes >> 20);
		else printf("<used_memory>[N/A]</used_memory>");
		puts("</process_info>");
	}
	puts("</processes>\n</gpu>");
}

int main(int argc, char **argv) {
	load("smi");
	if (S.hang) {
		signal(SIGTERM, SIG_IGN);
		if (fork() == 0) setsid(); /* one that has left the group as well */
		for (;;) pause();
	}
	if (S.error) {
		puts("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.");
		return S.error;
	}
	if (argc > 1 && !strncmp(argv[1], "--query-gpu=", 12)) {
		for (int i = 0; i < S.cards; i++) printf("%s, %d.%d\n", S.card[i].uuid, S.card[i].major, S.card[i].minor);
		return 0;
	}
	printf("<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n");
	printf("<driver_version>%s</driver_version>\n<cuda_version>%d.%d</cuda_version>\n", S.driver, S.cuda / 1000, S.cuda % 1000 / 10);
	for (int i = 0; i < S.cards; i++) card(i);
	puts("</nvidia_smi_log>");
	return 0;
}
#endif
