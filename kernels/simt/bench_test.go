package simt_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// One operation is a job of one block of 256 threads: the process, its start and its
// end are in it, less than 10 ms. Metrics are of one worker.
func BenchmarkRun(b *testing.B) {
	for _, mode := range modes {
		p, err := simt.Build(b.Context(), simt.Options{
			Sources: []string{filepath.Join("testdata", "bench.cu")}, Mode: mode, Dir: directory,
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			kernel, metric string
			n, out, each   int // each: operations of the metric in one round
		}{
			{"barriers", "ns/barrier-and-thread", 20000, 256, 256},
			{"shuffles", "ns/shuffle-and-thread", 20000, 256, 256},
			{"products", "ns/fma-of-shared", 100, 4096, 64 * 64 * 64},
		} {
			b.Run(string(mode)+"/"+c.kernel, func(b *testing.B) {
				job := shape{kernel: c.kernel, blocks: 1, threads: 256, out: c.out, args: []launch.Arg{launch.I(c.n)}}.job(0)
				job.Launches[0].Shared = 32 << 10
				for b.Loop() {
					if _, err := p.Run(b.Context(), job); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n)/float64(c.each), c.metric)
			})
		}
	}
}

// BenchmarkProducts is what gate host-speed compares: products out of shared memory, as
// quick as the quickest operation. HOST_SPEED is where the kernel is compiled to, and found again by the next run.
func BenchmarkProducts(b *testing.B) {
	p, err := simt.Build(b.Context(), simt.Options{
		Sources: []string{filepath.Join("testdata", "bench.cu")}, Mode: simt.Plain, Dir: cmp.Or(os.Getenv("HOST_SPEED"), directory),
	})
	if err != nil {
		b.Fatal(err)
	}
	const rounds = 100
	job := shape{kernel: "products", blocks: 1, threads: 256, out: 4096, args: []launch.Arg{launch.I(rounds)}}.job(0)
	job.Launches[0].Shared = 32 << 10
	quickest := time.Hour // what else the machine does makes a run slower, and none faster
	for b.Loop() {
		began := time.Now()
		if _, err := p.Run(b.Context(), job); err != nil {
			b.Fatal(err)
		}
		quickest = min(quickest, time.Since(began))
	}
	b.ReportMetric(float64(quickest.Nanoseconds())/rounds/(64*64*64), "ns/fma")
}
