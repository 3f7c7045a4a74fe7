#!/usr/bin/env python3
"""A repository in which `gpuci ab` compares the two paths of the fused workload, on a card.

    paths.py DIR BUNDLE     make it in DIR, which is not there yet

BUNDLE is the unpacked archive of `gpuci kernels bundle fused-time`. Its check fused-time is run
once for each of three seeds, and what it asks gpuci-cuda to time is kept, a job of each path
(120 MB each, in DIR/jobs, which git ignores). The repository's gate path-time then runs the job
of its seed in a process of its own, WAY=fused or WAY=ops:

    cd DIR && gpuci ab path-time --arm ops=env:WAY=ops --arm fused=env:WAY=fused
    gpuci ab path-time --arm a=. --arm b=. --aa

Exit codes: 0 made, 1 something in the bundle failed, 64 usage, 69 no card or no git.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SEEDS = (1, 2, 3)
PATHS = ("fused", "ops")  # in the order in which fused-time takes them

# Stands in for gpuci-cuda: keeps the request, then hands it on.
KEEP = """#!/bin/sh
request=$(mktemp "$KEEP_IN/request.XXXXXX") && cat >"$request" && exec "$KEEP_REAL" <"$request"
"""

GATE = """[workspace]
name = "kda-paths"

[[gate]]
name = "path-time"
about = "forward and backward of one path at the model's shape, on a card"
run = ["python3", "path.py", {program}, {jobs}]
needs = ["gpu"]
reader = "none"
timeout = "5m"
profile = "release"
measures = "time"
env = {{ WAY = "fused" }}

  [[gate.bar]]
  metric = "forward-backward-ms"
  max = 10

  # Findings of guard zones, and sets of buffers that had other results after the last sample.
  [[gate.bar]]
  metric = "differences"
  max = 0
"""

RUN = '''"""Times of one path: the job of the seed, by gpuci-cuda, in a process of its own."""

import json
import os
import statistics
import subprocess
import sys

program, jobs = sys.argv[1:]
seed = int(os.environ.get("GPUCI_SEED", "1")) % 3 + 1
with open(f"{jobs}/{seed}-{os.environ['WAY']}.json") as request:
    out = subprocess.run([program], stdin=request, stdout=subprocess.PIPE, check=True).stdout
ms, differences, copies = {}, 0, 4
for line in out.splitlines():
    answer = json.loads(line)
    kind = answer["type"]
    if kind == "times" and not answer["times"].get("kernel"):
        ms[answer["times"]["phase"]] = statistics.median(answer["times"]["samples"])
    elif kind in ("finding", "error"):
        differences += 1
    elif kind == "rechecked":
        copies -= answer["equal"]
print(f"gpuci:metric name=forward-backward-ms value={ms['forward'] + ms['backward']} unit=ms")
print(f"gpuci:metric name=differences value={differences + copies}")
'''


def requests(bundle, program, seed, scratch):
    """What fused-time asks to be timed, in its order."""
    keep = scratch / "gpuci-cuda"
    keep.write_text(KEEP)
    keep.chmod(0o755)
    env = dict(os.environ, KEEP_IN=str(scratch), KEEP_REAL=str(program))
    subprocess.run(
        ["./gpuci", "kernels", "verify", "kda", "--check", "fused-time", "--backend", "cuda", "--cubins",
         "target/kernels/card", "--measure", "--seed", str(seed), "--cuda-program", str(keep)],
        cwd=bundle, env=env, check=True, stdout=subprocess.DEVNULL)
    files = sorted(scratch.glob("request.*"), key=lambda f: f.stat().st_mtime_ns)
    asked = [json.loads(f.read_text()) for f in files]
    for f in files:
        f.unlink()
    return [r for r in asked if r.get("timing")]


def make(place, bundle):
    program = next((p for p in (bundle / "gpuci-cuda", bundle / "bin/verify/gpuci-cuda") if p.exists()), None)
    if program is None or not (bundle / "gpuci").exists():
        sys.exit(f"paths: {bundle} is no unpacked bundle: tar xf what gpuci kernels bundle fused-time has made")
    if not shutil.which("git"):
        print("paths: needs git", file=sys.stderr)
        sys.exit(69)
    jobs = place / "jobs"
    jobs.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        for seed in SEEDS:
            timed = requests(bundle, program, seed, pathlib.Path(scratch))
            if len(timed) != len(PATHS):
                sys.exit(f"paths: fused-time asked for {len(timed)} timed jobs, not {len(PATHS)}")
            for path, request in zip(PATHS, timed):
                request["timing"]["copy"] = 0
                request["return"] = ["out"]
                request["cubins"] = [str(bundle / c) for c in request["cubins"]]
                (jobs / f"{seed}-{path}.json").write_text(json.dumps(request))
    (place / "gpuci.toml").write_text(GATE.format(program=json.dumps(str(program)), jobs=json.dumps(str(jobs))))
    (place / "path.py").write_text(RUN)
    (place / ".gitignore").write_text("/jobs/\n")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=gpuci", "-c", "user.email=gpuci@localhost", "commit", "-q", "-m", "paths"]):
        subprocess.run(["git", "-C", str(place), *command], check=True)


def main():
    if len(sys.argv) != 3 or pathlib.Path(sys.argv[1]).exists():
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    try:
        make(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    except subprocess.CalledProcessError as e:
        print(f"paths: {e}", file=sys.stderr)
        sys.exit(69 if e.returncode == 69 else 1)


if __name__ == "__main__":
    main()
