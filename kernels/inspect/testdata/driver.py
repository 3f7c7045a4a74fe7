"""Holds what gpuci reads in cubins against what the card's driver says of them.

On a machine with a card and its driver, for cubins of its architecture:

    gpuci kernels inspect --json *.cubin | python3 driver.py

For each kernel: parameters (cuFuncGetParamInfo: ordinal, offset, size), registers,
static shared memory, local memory, and the most threads that launch bounds allow
(cuFuncGetAttribute); for each module how many kernels it has.
"""
import ctypes
import json
import math
import sys

MAX_THREADS, SHARED, LOCAL, REGISTERS = 0, 1, 3, 4  # CUfunction_attribute

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    if code := getattr(cuda, name)(*args):
        sys.exit(f"{name}: error {code}")


class Tally:
    def __init__(self):
        self.rows = {}

    def hold(self, what, name, ours, theirs):
        row = self.rows.setdefault(what, [0, 0, 0])
        if ours is None:
            row[2] += 1
            return
        row[0] += 1
        if ours != theirs:
            row[1] += 1
            print(f"differs: {what} of {name}: {ours}, by the driver {theirs}")


def parameters(function):
    out = []
    while True:
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        if cuda.cuFuncGetParamInfo(function, ctypes.c_size_t(len(out)), ctypes.byref(offset), ctypes.byref(size)):
            return out
        out.append((len(out), offset.value, size.value))


def attribute(function, which):
    value = ctypes.c_int()
    call("cuFuncGetAttribute", ctypes.byref(value), which, function)
    return value.value


def kernel(tally, module, k):
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, k["name"].encode())
    for what, key, which in ("registers", "registers", REGISTERS), ("shared", "shared", SHARED), ("local", "stack", LOCAL):
        tally.hold(what, k["name"], k.get(key), attribute(function, which))
    threads = k.get("max-threads") or k.get("req-threads")
    if threads:
        tally.hold("threads", k["name"], math.prod(threads), attribute(function, MAX_THREADS))
    ours = [(p["ordinal"], p["offset"], p["size"]) for p in k["params"]] if k["params-known"] else None
    tally.hold("parameters", k["name"], ours, parameters(function))


def main():
    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    tally, modules, kernels = Tally(), 0, 0
    for line in sys.stdin:
        m = json.loads(line)
        if m.get("type") != "module" or m["kind"] != "cubin" or m.get("part"):
            continue
        module, count = ctypes.c_void_p(), ctypes.c_uint()
        with open(m["file"], "rb") as f:
            call("cuModuleLoadData", ctypes.byref(module), f.read())
        call("cuModuleGetFunctionCount", ctypes.byref(count), module)
        tally.hold("kernels of a module", m["file"], len(m["kernels"]), count.value)
        for k in m["kernels"]:
            kernel(tally, module, k)
        call("cuModuleUnload", module)
        modules, kernels = modules + 1, kernels + len(m["kernels"])
    print(f"{kernels} kernels in {modules} modules")
    for what, (held, differ, unknown) in tally.rows.items():
        print(f"{what}: {held - differ} of {held} agree, {unknown} not known to gpuci")
    sys.exit(not kernels or any(differ for _, differ, _ in tally.rows.values()))


main()
