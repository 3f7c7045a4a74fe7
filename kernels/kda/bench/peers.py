#!/usr/bin/env python3
"""What the fused kernels are measured beside, on a machine with PyTorch.

    peers.py                        the chunked form in PyTorch, eager and compiled; fla's
                                    chunk_gdn2 where it is installed; copies; cuBLAS
    peers.py --check ../testdata    the chunked form against the committed float64 values

Prints a JSON object a line: first the machine, then a measurement each, with the median,
the 10th and 90th percentile in milliseconds, and the launches of one call where the
profiler sees them. TF32 is off in PyTorch and cuBLAS; fla's kernels choose it themselves where
the card has it, and its lines say so. Inputs are rotated among copies, so that a call does not
find its own in the cache. Exit codes: 0 measured, or right; 1 wrong, or a peer that failed;
69 no PyTorch, or no card where one is asked for.
"""

import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

try:
    import torch
except ImportError:
    print("peers: no PyTorch here: pip install torch", file=sys.stderr)
    sys.exit(69)

from chunked import chunked

SHAPE = {"batch": 8, "heads": 12, "rows": 512, "keys": 64, "values": 64, "chunk": 16}
NAMES = ("q", "k", "g", "b", "v", "w", "state")
BARS = {"mild": 2e-5, "moderate": 2e-5, "strong": 2e-4, "very-strong": 2e-4}  # float32, as the kernels'


def main():
    a = arguments()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    if a.check:
        sys.exit(check(pathlib.Path(a.check)))
    if a.device == "cuda" and not torch.cuda.is_available():
        print("peers: no card that PyTorch could use; --device cpu only tries the script", file=sys.stderr)
        sys.exit(69)
    say(machine(a))
    bench = Bench(a)
    failed = [name for name in a.peers.split(",") if not measured(name, bench)]
    sys.exit(1 if failed else 0)


def measured(name, bench):
    """One that fails is named, and the others are measured all the same."""
    sets = bench.sets
    try:
        PEERS[name](bench)
        return True
    except Exception as e:
        say({"peer": name, "error": f"{type(e).__name__}: {e}"})
        return False
    finally:
        bench.sets = sets


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", metavar="DIR", help="of fused.json and fused.safetensors: compare, measure nothing")
    p.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    p.add_argument("--peers", default=",".join(PEERS), help="some of %(default)s")
    p.add_argument("--repeats", type=int, default=50, help="timed calls, after a tenth of them to warm up")
    p.add_argument("--copies", type=int, default=3, help="sets of inputs")
    p.add_argument("--variants", metavar="I/N", help="of fla: compile every N-th variant of each kernel, from the I-th; measures nothing")
    for name, n in SHAPE.items():
        p.add_argument("--" + name, type=int, default=n)
    return p.parse_args()


def say(line):
    print(json.dumps(line), flush=True)


def machine(a):
    line = {"torch": torch.__version__, "device": a.device, "tf32": False, "cuda": torch.version.cuda}
    if a.device == "cuda":
        line["card"] = torch.cuda.get_device_name()
    return line | {n: getattr(a, n) for n in SHAPE}


class Bench:
    """Times calls, each with one of several sets of inputs."""

    def __init__(self, a):
        self.a, self.sets = a, [problem(a, seed) for seed in range(a.copies)]

    def time(self, call, args=None, **labels):
        """Calls call(*args[i]) for the sets in turn, each between two events."""
        args = args if args is not None else [(s,) for s in self.sets]
        for i in range(max(3, self.a.repeats // 10)):
            call(*args[i % len(args)])
        spans = [self.span(call, args[i % len(args)]) for i in range(self.a.repeats)]
        ms = sorted(spans if self.a.device == "cpu" else [self.elapsed(s) for s in spans])
        line = labels | {"ms": statistics.median(ms), "p10": ms[len(ms) // 10], "p90": ms[len(ms) * 9 // 10], "repeats": len(ms)}
        if "launches" not in labels and self.a.device == "cuda":
            line["launches"] = launches(call, args[0])
        return line

    def replayed(self, call, args, **labels):
        """A call by itself, without what the host takes to launch it: the card replays a
        graph of one for each set, some times over."""
        if self.a.device == "cpu":
            return self.time(call, args, **labels)
        rounds = 8
        for one in args:
            call(*one)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(rounds):
                for one in args:
                    call(*one)
        line = self.time(graph.replay, [()], **labels)
        calls = rounds * len(args)
        return line | {k: line[k] / calls for k in ("ms", "p10", "p90")} | {"replayed": calls}

    def span(self, call, args):
        if self.a.device == "cpu":
            began = time.perf_counter()
            call(*args)
            return (time.perf_counter() - began) * 1e3
        began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        began.record()
        call(*args)
        ended.record()
        return began, ended

    def elapsed(self, span):
        span[1].synchronize()
        return span[0].elapsed_time(span[1])


def launches(call, args):
    """Kernels that one call starts on the card."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as p:
        call(*args)
        torch.cuda.synchronize()
    on_card = (e for e in p.events() if e.device_type == torch.autograd.DeviceType.CUDA)
    return sum(1 for e in on_card if not e.name.startswith(("Memcpy", "Memset")))


def problem(a, seed):
    """Inputs with moderate decay, unit keys and queries, gates away from 0 and 1."""
    r = torch.Generator().manual_seed(seed)
    rand = lambda *dims: torch.rand(*dims, generator=r)
    lead = (a.batch, a.heads)
    unit = lambda: torch.nn.functional.normalize(rand(*lead, a.rows, a.keys) - 0.5, dim=-1)
    gate = lambda n: 0.05 + 0.9 * rand(*lead, a.rows, n)
    p = {"q": unit(), "k": unit(), "g": -rand(*lead, a.rows, a.keys), "b": gate(a.keys),
         "v": 2 * rand(*lead, a.rows, a.values) - 1, "w": gate(a.values), "state": 2 * rand(*lead, a.keys, a.values) - 1,
         "dOut": 2 * rand(*lead, a.rows, a.values) - 1, "dS_T": 2 * rand(*lead, a.keys, a.values) - 1}
    p = {n: x.to(a.device) for n, x in p.items()}
    return p | {n: p[n].requires_grad_() for n in NAMES}


def chunk_form(bench, name, form):
    scale = bench.a.keys**-0.5
    forward = lambda p: form(*(p[n] for n in NAMES), scale, bench.a.chunk)
    both_ways(bench, forward, peer=name)


def both_ways(bench, forward, **labels):
    """The forward as training runs it, then autograd's backward of it alone."""
    say(bench.time(forward, **labels, phase="forward"))
    done = [(*forward(p), p) for p in bench.sets]

    def backward(out, final, p):
        return torch.autograd.grad((out, final), [p[n] for n in NAMES], (p["dOut"], p["dS_T"]), retain_graph=True)

    say(bench.time(backward, done, **labels, phase="backward"))


def eager(bench):
    chunk_form(bench, "torch-eager", chunked)


def compiled(bench):
    import torch._functorch.config

    torch._functorch.config.donated_buffer = False  # the backward is timed again and again on one graph
    chunk_form(bench, "torch-compiled", torch.compile(chunked, dynamic=False))


def fla(bench):
    """flash-linear-attention, time-major, with its own chunk of 64 rows."""
    try:
        from fla.ops.gdn2 import chunk_gdn2
        from fla.utils import IS_TF32_SUPPORTED
    except ImportError as e:
        print(f"peers: flash-linear-attention is left out: {e}", file=sys.stderr)
        return
    if bench.a.variants:
        only_variants(*map(int, bench.a.variants.split("/")))
    else:
        compile_variants(bench.a)
    turned = []
    for p in bench.sets:
        p = {n: x.detach() if n in ("state", "dS_T") else x.detach().transpose(1, 2).contiguous() for n, x in p.items()}
        turned.append(p | {n: p[n].requires_grad_() for n in NAMES})
    inner, bench.sets = bench.sets, turned
    order = ("q", "k", "v", "g", "b", "w")
    scale = bench.a.keys**-0.5
    forward = lambda p: chunk_gdn2(*(p[n] for n in order), scale=scale, initial_state=p["state"], output_final_state=True)
    both_ways(bench, forward, peer="fla-chunk_gdn2", fla_chunk=64, fla_tf32=bool(IS_TF32_SUPPORTED))
    bench.sets = inner


def compile_variants(a):
    """Has all variants of fla's kernels in Triton's cache, whose autotuner would compile
    some two hundred one after the other: minutes, on one processor of many."""
    n = max(1, min(14, (os.cpu_count() or 1) - 2))
    shape = [word for name in SHAPE for word in (f"--{name}", str(getattr(a, name)))]
    run = [sys.executable, __file__, "--peers", "fla", "--copies", "1", "--repeats", "1", *shape]
    for child in [subprocess.Popen([*run, "--variants", f"{i}/{n}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for i in range(n)]:
        child.wait()  # one that fails has compiled less: the autotuner here does


def only_variants(i, n):
    """Leaves Triton's autotuner every n-th variant, of which there is always one."""
    from triton.runtime.autotuner import Autotuner

    prune = Autotuner.prune_configs

    def pruned(self, *args, **kwargs):
        kept = prune(self, *args, **kwargs)
        return kept[i::n] or kept[:1]

    Autotuner.prune_configs = pruned


def copy(bench):
    """Bandwidth of a copy that no cache holds, read and written."""
    count = (256 << 20) if bench.a.device == "cuda" else (4 << 20)
    to, of = (torch.empty(count, device=bench.a.device).normal_() for _ in range(2))
    line = bench.time(lambda: to.copy_(of), [()], peer="copy", bytes=8 * count, launches=1)
    say(line | {"gbps": 8 * count / line["ms"] / 1e6})


def cublas(bench):
    """float32 products of the shapes that the ops path has, batched as it batches them."""
    a = bench.a
    heads, chunks = a.batch * a.heads, -(-a.rows // a.chunk)
    C, K, V = a.chunk, a.keys, a.values
    for batch, rows, inner, cols, what in (
        (heads, C, K, V, "W S0, and q*E S0"),
        (heads, K, C, V, "kgd^T v_new"),
        (heads, C, C, V, "Aqk v_new"),
        (heads * chunks, C, C, V, "M (w*v), M^T d_v_new"),
        (heads * chunks, C, C, K, "M (b*k*E), M^T dW"),
        (heads * chunks, C, V, K, "dOut S0^T, d_v_new S0^T, v_new D1^T"),
        (heads * chunks, C, V, C, "dOut v_new^T, Y u^T"),
        (heads * chunks, C, K, C, "X W^T"),
    ):
        sets = [tuple(torch.rand(batch, *d, device=a.device) for d in ((rows, inner), (inner, cols))) for _ in range(a.copies)]
        line = bench.replayed(torch.bmm, sets, peer="cublas", what=what, batch=batch, shape=[rows, inner, cols], launches=1)
        say(line | {"tflops": 2e-9 * batch * rows * inner * cols / line["ms"]})


PEERS = {"copy": copy, "cublas": cublas, "eager": eager, "compiled": compiled, "fla": fla}


def check(where):
    """Holds the chunked form, float64 and float32, against the committed cases."""
    tensors = read(where / "fused.safetensors")
    wrong = 0
    for c in json.loads((where / "fused.json").read_text())["cases"]:
        for kind, bar in ((torch.float64, 1e-11), (torch.float32, BARS[c["family"]])):
            worst, term = compare({n.split("/")[1]: x for n, x in tensors.items() if n.split("/")[0] == c["name"]}, c, kind)
            wrong += not worst <= bar
            say({"case": c["name"], "type": str(kind), "worst": worst, "term": term, "bar": bar, "right": worst <= bar})
    return 1 if wrong else 0


def compare(case, c, kind):
    """The largest difference of a case, relative to its tensor's largest element."""
    p = {n: case[n].to(kind).requires_grad_() for n in NAMES}
    out, final = chunked(*(p[n] for n in NAMES), c["scale"], c["C"])
    grads = torch.autograd.grad((out, final), list(p.values()), (case["dOut"].to(kind), case["dS_T"].to(kind)))
    got = {"out": out, "final": final} | {"d_" + n: x for n, x in zip(NAMES, grads)}
    off = {n: ((x.double() - case[n]).abs().max() / case[n].abs().max()).item() for n, x in got.items()}
    worst = max(off, key=lambda n: float("inf") if off[n] != off[n] else off[n])
    return off[worst], worst


def read(path):
    """The tensors of a safetensors file."""
    raw = path.read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    kinds = {"F32": torch.float32, "F64": torch.float64}
    return {name: torch.frombuffer(bytearray(raw[8 + n + t["data_offsets"][0] : 8 + n + t["data_offsets"][1]]),
                                   dtype=kinds[t["dtype"]]).reshape(t["shape"])
            for name, t in json.loads(raw[8 : 8 + n]).items() if name != "__metadata__"}


if __name__ == "__main__":
    main()
