# make test    what `go test ./...` runs, with the race detector
# make lint    gofmt, go vet, staticcheck, the import rule
# make bench   the figures the documents quote, each beside its peer in the same run
# make man     the manual pages, in bin/man
# make cuda    bin/gpuci-cuda, which runs kernels on a card; it needs CUDA's headers, and no card
# make trace   bin/libgpuci-trace.so, which gpuci trace and gates with [gate.trace] load; without it a C compiler of the machine makes it
# make standin bin/standin, a stand-in for NVIDIA's driver, to try gpuci without a card
# make standin-cuda  bin/standin-cuda, a stand-in for CUDA, to try gpuci trace without a card; NVTX ranges need NVTX_INCLUDE=DIR
#              where DIR has nvtx3/nvToolsExt.h, as site-packages/nvidia/cu13/include of pip install nvidia-nvtx
# make soak    the long forms of the randomised tests
# make incident  20 links at once on a slow disk, bare and through gpuci (root)
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 60s

# The race detector sleeps for a second at the end of each process otherwise.
export GORACE ?= atexit_sleep_ms=20

.PHONY: build test lint bench soak incident man cuda standin standin-cuda trace

# Without gpuci-cuda: a build of it that has no CUDA would take the place of one that has.
build:
	$(GO) build -o bin/ ./cmd/gpuci ./cmd/gpuci-link

test:
	$(GO) test -race ./...

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	$(GO) vet $(AS) -tags bench,incident ./... # no file is left out for having them
	GOBIN="$(CURDIR)/target/lint" $(GO) install $(STATICCHECK)
	GOFLAGS="$(AS)" target/lint/staticcheck ./...
	$(GO) test $(AS) -vet=off -count=1 -run '^TestImportRule$$' ./cmd/gpuci

bench:
	$(GO) test -count=1 -tags bench -timeout 60m -run '^TestBench' -v ./cmd/gpuci
	$(GO) test -count=1 -tags bench -timeout 60m -run '^TestBench' -v ./reaper/proc ./reaper
	$(GO) test -count=1 -tags bench -timeout 60m -run '^TestBench' -v ./buildlock ./ci ./kernels/device ./kernels/device/protected ./cmd/gpuci-link ./pressure ./gates/history ./kernels/inspect ./kernels/build ./kernels/verify ./kernels/trace ./gates/ab/judge
	$(GO) test -run '^$$' -bench . ./worktrees ./gates/...
	@python3 kernels/kda/bench/peers.py; code=$$?; test $$code -eq 0 || { test $$code -eq 69 && \
		echo "bench: NOT MEASURED: what the fused kernels stand beside (PyTorch, flash-linear-attention, cuBLAS)"; }
	@python3 kernels/kda/bench/ops.py --gpuci bin/gpuci --cubins target/kernels/card; code=$$?; test $$code -eq 0 || { test $$code -eq 69 && \
		echo "bench: NOT MEASURED: the small kernels beside a copy and cuBLAS (needs a card, ncu, PyTorch, make cuda, and the cubins of a gate on the card)"; }

cuda: build
	GO="$(GO)" cmd/gpuci-cuda/build bin/gpuci-cuda

standin:
	@CC="$(CC)" kernels/device/devicetest/standin/build bin/standin

standin-cuda:
	@CC="$(CC)" NVTX_INCLUDE="$(NVTX_INCLUDE)" kernels/trace/tracetest/standin/build bin/standin-cuda

# The flags are those of kernels/trace/compiler.go.
trace: build
	$(CC) -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden -Wl,-z,nodelete -Wl,-soname,libgpuci-trace.so -o bin/libgpuci-trace.so kernels/trace/inject/*.c -pthread -ldl

man: build
	bin/gpuci man bin/man

soak:
	GPUCI_SOAK=1 $(GO) test -count=1 -timeout 120m ./...
	GPUCI_TEST_RACED=0/1 $(GO) test -race -count=1 -timeout 120m -run '^TestScript$$' ./cmd/gpuci
	./.ci/fuzz $(FUZZTIME)
	$(MAKE) build
	bin/gpuci falsify fused-adjoint fused-vs-ops fused-fixture fused-race fused-uninit fused-bounds fused-launches ns-batched rmsnorm

incident:
	$(GO) test -count=1 -tags incident -timeout 60m -run "^(TestIncident|TestForeignWriter|TestOwnStall|TestSweepIncident)$$" -v ./cmd/gpuci-link
	$(GO) test -count=1 -tags incident -timeout 10m -run "^TestIncident" -v ./cmd/gpuci
