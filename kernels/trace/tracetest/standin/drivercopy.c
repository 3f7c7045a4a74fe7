// The stand-in driver's copies and sets, which move nothing.
#include "driver.h"

typedef struct {
	uint64_t to, from;
	size_t bytes;
	void *stream;
} Copy;

// way is CUpti_ActivityMemcpyKind; 0: the arguments do not tell.
static uint32_t way(void) {
	switch (driver_call()) {
	case ID_cuMemcpyHtoD_v2: case ID_cuMemcpyHtoDAsync_v2: return 1;
	case ID_cuMemcpyDtoH_v2: case ID_cuMemcpyDtoHAsync_v2: return 2;
	case ID_cuMemcpyDtoD_v2: case ID_cuMemcpyDtoDAsync_v2: return 8;
	}
	return 0;
}

static int copy_async(const void *params) {
	const Copy *p = params;
	if (!captures(p->stream, COPY_NODE)) works(RAN_COPY, work_stream(p->stream), work_takes(), (Ran){.bytes = p->bytes, .way = way()});
	return 0;
}

static int copy(const void *params) {
	const Copy *p = params;
	works(RAN_COPY, work_stream(0), work_takes(), (Ran){.bytes = p->bytes, .way = way()});
	work_done(work_stream(0));
	return 0;
}

#define COPY(name)                                                \
	API int name(uint64_t to, uint64_t from, size_t bytes) {      \
		Copy p = {to, from, bytes, 0};                            \
		return around(ID_##name, &p, 0, copy);                    \
	}
#define COPY_ASYNC(name)                                                     \
	API int name(uint64_t to, uint64_t from, size_t bytes, void *stream) {   \
		Copy p = {to, from, bytes, stream};                                  \
		return around(ID_##name, &p, 0, copy_async);                         \
	}

COPY(cuMemcpyHtoD_v2)
COPY(cuMemcpyDtoH_v2)
COPY(cuMemcpyDtoD_v2)
COPY(cuMemcpy)
COPY_ASYNC(cuMemcpyHtoDAsync_v2)
COPY_ASYNC(cuMemcpyDtoHAsync_v2)
COPY_ASYNC(cuMemcpyDtoDAsync_v2)
COPY_ASYNC(cuMemcpyAsync)

API int cuMemcpyPeer(uint64_t to, void *there, uint64_t from, void *here, size_t bytes) {
	struct {
		uint64_t to;
		void *there;
		uint64_t from;
		void *here;
		size_t bytes;
	} p = {to, there, from, here, bytes};
	return around(ID_cuMemcpyPeer, &p, 0, nothing);
}

// A call of a later CUDA: its arguments are not where those of others are.
API int cuMemcpyOfLaterAsync(void *what) {
	return around(ID_cuMemcpyOfLaterAsync, &what, 0, nothing);
}

typedef struct {
	const void *box;
	void *stream;
} Box;

static int box_async(const void *params) { return captures(((const Box *)params)->stream, COPY_NODE), 0; }

API int cuMemcpy2D_v2(const void *box) {
	Box p = {box, 0};
	return around(ID_cuMemcpy2D_v2, &p, 0, nothing);
}

API int cuMemcpy2DAsync_v2(const void *box, void *stream) {
	Box p = {box, stream};
	return around(ID_cuMemcpy2DAsync_v2, &p, 0, box_async);
}

API int cuMemcpy3D_v2(const void *box) {
	Box p = {box, 0};
	return around(ID_cuMemcpy3D_v2, &p, 0, nothing);
}

#define SET_AS(name, Value, body, ...)                        \
	API int name(uint64_t to, Value value, size_t n __VA_ARGS__) { \
		struct {                                              \
			uint64_t to;                                      \
			Value value;                                      \
			size_t n;                                         \
			void *stream;                                     \
		} p = {to, value, n, STREAM};                         \
		return around(ID_##name, &p, 0, body);                \
	}

static int set_async(const void *params) {
	const size_t *p = params; // to, value, n, stream
	if (!captures((void *)p[3], SET_NODE)) works(RAN_SET, work_stream((void *)p[3]), work_takes(), (Ran){.bytes = p[2]});
	return 0;
}

#define STREAM 0
SET_AS(cuMemsetD8_v2, unsigned char, set_async)
SET_AS(cuMemsetD16_v2, unsigned short, set_async)
SET_AS(cuMemsetD32_v2, unsigned, set_async)
#undef STREAM
#define STREAM stream
SET_AS(cuMemsetD8Async, unsigned char, set_async, , void *stream)
SET_AS(cuMemsetD32Async, unsigned, set_async, , void *stream)

API int cuMemsetD2D16_v2(uint64_t to, size_t pitch, unsigned short value, size_t width, size_t height) {
	struct {
		uint64_t to;
		size_t pitch;
		unsigned short value;
		size_t width, height;
	} p = {to, pitch, value, width, height};
	return around(ID_cuMemsetD2D16_v2, &p, 0, nothing);
}
