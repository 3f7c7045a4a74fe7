#!/usr/bin/env python3
"""Whether the ops path is fast enough that a ratio against it may be quoted.

    ops.py --gpuci PATH --cubins DIR

PATH is a gpuci with gpuci-cuda beside it, DIR the compiled kernels. Has NVIDIA's ncu measure
every launch of one run of the ops path at the shape of the check fused-time, each with cold
caches, and holds each kind of launch against its peer in the same run: a product against
cuBLAS, everything else against the bandwidth of a large copy, and against a copy of as many
bytes. Bytes are those read from memory and those that the kernel wrote.

Prints a JSON object a line: one for each kind of launch, slowest in all first, and one with the
sum of all. Exit codes: 0 measured; 1 the run failed, or is another than this script knows; 69 no
ncu, no card that it may measure, or no PyTorch.
"""

import argparse
import csv
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import peers
import torch

TIME, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "lts__t_sectors_op_write.sum"
UNITS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3,
         "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "sector": 1, "": 1}
LARGE = 8e6   # bytes: below, what any launch takes is most of the time
COLD = 256e6  # bytes of all sets of a copy: no cache has them


class Refused(Exception):
    """Ends the script with a message and a code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def main():
    a = arguments()
    try:
        measure(a)
    except Refused as e:
        print(f"ops: {e}", file=sys.stderr)
        sys.exit(e.code)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gpuci", required=True, type=pathlib.Path, help="gpuci, with gpuci-cuda beside it")
    p.add_argument("--cubins", required=True, type=pathlib.Path, help="where the card's cubins are")
    p.add_argument("--ncu", default=shutil.which("ncu"), help="%(default)s")
    p.add_argument("--repeats", type=int, default=50, help="timed calls of each peer")
    return p.parse_args()


def measure(a):
    if not torch.cuda.is_available():
        raise Refused(69, "no card that PyTorch could use for the peers")
    if not a.ncu:
        raise Refused(69, "no ncu here: it comes with CUDA's toolkit, or say --ncu PATH")
    child = a.gpuci.resolve().parent / "gpuci-cuda"
    if not child.exists():
        raise Refused(1, f"no {child}: make cuda builds it beside gpuci")
    torch.backends.cuda.matmul.allow_tf32 = False
    count = launches(timed(a, child))
    with tempfile.TemporaryDirectory(prefix="gpuci-ops-") as where:
        kernels = profiled(a, child, count, pathlib.Path(where))
    shape = argparse.Namespace(device="cuda", copies=3, repeats=a.repeats, **peers.SHAPE)
    report(kernels, shape)


def timed(a, program):
    """Runs the check fused-time, and gives what it says."""
    run = [a.gpuci.resolve(), "kernels", "verify", "kda", "--check", "fused-time", "--backend", "cuda",
           "--cubins", a.cubins.resolve(), "--cuda-program", program, "--measure"]
    done = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        code = 69 if done.returncode in (69, 75) else 1
        raise Refused(code, f"fused-time ended with {done.returncode}:\n{(done.stderr + done.stdout)[-2000:]}")
    return done.stdout


def launches(said):
    found = re.search(r"^kda-verify check=fused-time .*\bops-launches=(\d+)", said, re.MULTILINE)
    if not found:
        raise Refused(1, "fused-time does not say ops-launches=N")
    return int(found.group(1))


def profiled(a, child, count, where):
    """The launches of the second run of the ops path, in their order.

    ncu stands around gpuci-cuda alone: gpuci is a Go program, whose children ncu does not
    follow. There are several such processes, and one of them has the ops path."""
    wrapper = where / "ncu-gpuci-cuda"
    line = [a.ncu, "--clock-control", "none", "-k", "regex:^ops_", "-s", count, "-c", count,
            "--metrics", ",".join((TIME, READ, WRITTEN)), "--csv", "--page", "raw", "--print-units", "base"]
    words = " ".join(shlex.quote(str(w)) for w in line)
    wrapper.write_text(f'#!/bin/sh\nexec {words} --log-file {shlex.quote(str(where))}/ncu-$$.csv {shlex.quote(str(child))}\n')
    wrapper.chmod(0o755)
    timed(a, wrapper)
    logs = {log: kernels_of(log.read_text()) for log in where.glob("ncu-*.csv")}
    found = max(logs.values(), key=len, default=[])
    if not found:
        said = [line for log in logs for line in log.read_text().splitlines() if "ERROR" in line]
        raise Refused(69, "ncu measured no kernel of the ops path" + "".join("\n" + s for s in said[:3]))
    if len(found) != count:
        raise Refused(1, f"ncu measured {len(found)} launches of the ops path, fused-time says {count}")
    return found


def kernels_of(log):
    """The rows of ncu's raw page: kernel, grid, block, microseconds, bytes."""
    rows = list(csv.reader(line for line in log.splitlines() if line.startswith('"')))
    if len(rows) < 3:
        return []
    at = {name: i for i, name in enumerate(rows[0])}

    def number(row, name):
        return float(row[at[name]].replace(",", "")) * UNITS[rows[1][at[name]]]

    return [{"kernel": r[at["Kernel Name"]].split("(")[0], "grid": sizes(r[at["Grid Size"]]), "block": sizes(r[at["Block Size"]]),
             "us": number(r, TIME), "bytes": number(r, READ) + 32 * number(r, WRITTEN)} for r in rows[2:]]


def sizes(text):
    return tuple(int(n) for n in re.findall(r"\d+", text))


def products(shape):
    """The products of kernels/kda/fused/ops.go in its order: what, batch, rows, inner, cols,
    and which of the two operands is read turned."""
    heads, chunks = shape.batch * shape.heads, -(-shape.rows // shape.chunk)
    every, C, K, V = heads * chunks, shape.chunk, shape.keys, shape.values
    yield from (("M (w*v)", every, C, C, V, ""), ("M (b*k*E)", every, C, C, K, ""))
    for _ in range(chunks):
        yield from (("W S0", heads, C, K, V, ""), ("kgd^T v_new", heads, K, C, V, "left"))
    yield from (("q*E S0", every, C, K, V, ""), ("Aqk v_new", every, C, C, V, ""))
    yield from (("Aqk^T dOut", every, C, C, V, "left"), ("(q*E)^T dOut", every, K, C, V, "left"))
    for _ in range(chunks):
        yield from (("kgd dS", heads, C, K, V, ""), ("W^T d_v_new", heads, K, C, V, "left"))
    yield from (("v_new D1^T", every, C, V, K, "right"), ("d_v_new S0^T", every, C, V, K, "right"))
    yield from (("M^T dW", every, C, C, K, "left"), ("M^T d_v_new", every, C, C, V, "left"))
    yield from (("dOut v_new^T", every, C, V, C, "right"), ("X W^T", every, C, K, C, "right"))
    yield from (("Y u^T", every, C, V, C, "right"), ("dOut S0^T", every, C, V, K, "right"))


def mapped(kernels, shape):
    """Gives each product of the run its shape. Another number of them, or another batch, and
    it is another chain than the one above: none of them is told a shape then."""
    own = [k for k in kernels if k["kernel"].startswith("ops_matmul")]
    known = list(products(shape))
    if [k["grid"][0] for k in own] != [p[1] for p in known]:
        print("ops: the products are not those of this script's table: none has a shape, and no ratio", file=sys.stderr)
        return False
    for k, p in zip(own, known):
        k["product"] = p
    return True


def report(kernels, shape):
    known = mapped(kernels, shape)
    bench = peers.Bench(shape)
    copied = large_copy(bench)
    lines = [kind(bench, same, copied) for same in kinds(kernels)]
    for line in sorted(lines, key=lambda line: -line["us"] * line["launches"]):
        peers.say(line)
    moved = [x for x in lines if "share" in x and x["bytes"] >= LARGE]
    ratios = [x for x in lines if "over_cublas" in x]
    last = {"ops": "all", "launches": len(kernels), "us": sum(k["us"] for k in kernels), "copy_gbps": copied,
            "products_mapped": known, "card": torch.cuda.get_device_name(), **vars(shape)}
    if moved:
        worst = min(moved, key=lambda x: x["share"])
        last |= {"worst_share": worst["share"], "worst_share_of": worst["kernel"]}
        worst = min(moved, key=lambda x: x["share_of_such_a_copy"])
        last |= {"worst_share_of_such_a_copy": worst["share_of_such_a_copy"], "worst_such_copy_of": worst["kernel"]}
    if known and ratios:
        worst = max(ratios, key=lambda x: x["over_cublas"])
        last |= {"worst_over_cublas": worst["over_cublas"], "worst_over_cublas_of": worst["what"]}
    peers.say(last)


def kinds(kernels):
    """Launches of one kernel, grid and block, of one product, and about as many bytes."""
    found = {}
    for k in kernels:
        alike = found.setdefault((k["kernel"], k["grid"], k["block"], k.get("product", ())[1:]), [])
        near = next((same for same in alike if 0.8 <= (k["bytes"] + 1) / (same[0]["bytes"] + 1) <= 1.25), None)
        if near is None:
            alike.append([k])
        else:
            near.append(k)
    return [same for alike in found.values() for same in alike]


def kind(bench, same, copied):
    """One line for launches of one kernel, grid, block and shape."""
    one, us, moved = same[0], mean(k["us"] for k in same), mean(k["bytes"] for k in same)
    gbps = moved / us / 1e3
    line = {"ops": "kind", "kernel": one["kernel"], "grid": one["grid"], "block": one["block"],
            "launches": len(same), "us": us, "slowest_us": max(k["us"] for k in same), "bytes": moved, "gbps": gbps}
    if "product" in one:
        what = sorted({k["product"][0] for k in same})
        peer = cublas(bench, *one["product"][1:])
        return line | {"what": ", ".join(what), "batch": one["product"][1], "shape": one["product"][2:5],
                       "cublas_us": peer, "over_cublas": us / peer}
    if one["kernel"].startswith("ops_matmul"):
        return line | {"what": "a product that the table of this script does not have"}
    peer = small_copy(bench, moved)
    return line | {"share": gbps / copied, "copy_us": peer, "share_of_such_a_copy": peer / us}


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def large_copy(bench):
    """Bandwidth of the copy that peers.py measures, which it would print."""
    kept, printing = [], peers.say
    peers.say = kept.append
    try:
        peers.copy(bench)
    finally:
        peers.say = printing
    return kept[0]["gbps"]


def small_copy(bench, size):
    """Microseconds of a copy that reads and writes size bytes in all, from memory."""
    words = max(1, int(size / 8))
    sets = [tuple(torch.zeros(words, device="cuda") for _ in range(2)) for _ in range(min(128, max(3, int(COLD / size) + 1)))]
    return 1e3 * bench.replayed(lambda to, of: to.copy_(of), sets, launches=1)["ms"]


def cublas(bench, batch, rows, inner, cols, turned):
    """Microseconds of torch.bmm of a shape, its operands turned as the ops path has them."""
    def rand(r, c, across):
        return torch.rand(batch, c, r, device="cuda").transpose(1, 2) if across else torch.rand(batch, r, c, device="cuda")

    sets = [(rand(rows, inner, turned == "left"), rand(inner, cols, turned == "right")) for _ in range(bench.a.copies)]
    return 1e3 * bench.replayed(torch.bmm, sets, launches=1)["ms"]


if __name__ == "__main__":
    main()
