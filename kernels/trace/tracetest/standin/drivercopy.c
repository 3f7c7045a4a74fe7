// The stand-in driver's copies and sets, which move nothing.
#include "driver.h"

typedef struct {
	uint64_t to, from;
	size_t bytes;
	void *stream;
} Copy;

static int copy_async(const void *params) { return captures(((const Copy *)params)->stream, COPY_NODE), 0; }

#define COPY(name)                                                \
	API int name(uint64_t to, uint64_t from, size_t bytes) {      \
		Copy p = {to, from, bytes, 0};                            \
		return around(ID_##name, &p, 0, nothing);                 \
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

static int set_async(const void *params) { return captures(((void *const *)params)[3], SET_NODE), 0; }

#define STREAM 0
SET_AS(cuMemsetD8_v2, unsigned char, nothing)
SET_AS(cuMemsetD16_v2, unsigned short, nothing)
SET_AS(cuMemsetD32_v2, unsigned, nothing)
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
