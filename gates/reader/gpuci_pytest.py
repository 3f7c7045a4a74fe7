"""gpuci counts with this what pytest ran, and changes nothing of it.

One JSON object a line, in the file beside this one: the session begins, each
test begins, the session ends with its sums. It is loaded by -p, so a pytest that
a test starts does not have it, and an xdist worker leaves it to its controller.
"""
import json
import os

import pytest

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest.jsonl")
NAMES = 20


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Counter(), "gpuci-counter")


class Counter:
    def __init__(self):
        self.pid = os.getpid()
        self.file = os.open(REPORT, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.sums = dict.fromkeys(
            "passed failed errors skipped xfailed xpassed deselected rerun".split(), 0
        )
        self.failed = []
        self.ended = set()
        self.selected = 0

    def write(self, event, **what):
        if os.getpid() == self.pid:  # and not in what a test forked
            what["event"] = event
            os.write(self.file, (json.dumps(what) + "\n").encode())

    def add(self, sum, nodeid=None):
        self.sums[sum] += 1
        if nodeid is not None and len(self.failed) < NAMES and nodeid not in self.failed:
            self.failed.append(nodeid)

    def pytest_sessionstart(self):
        self.write("begin")

    def pytest_collectreport(self, report):
        if report.failed:
            self.add("errors", report.nodeid)
        elif report.skipped:
            self.add("skipped")

    def pytest_deselected(self, items):
        self.sums["deselected"] += len(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.selected = len({item.nodeid for item in session.items})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        self.selected = max(self.selected, len(set(ids)))

    def pytest_runtest_logstart(self, nodeid):
        self.write("test", name=nodeid)

    def pytest_runtest_logreport(self, report):
        part = hasattr(report, "context")  # a subtest: only its failure counts
        around = report.when in ("setup", "teardown")
        if report.when == "teardown":
            self.ended.add(report.nodeid)
        if report.outcome == "rerun":
            self.add("rerun")
        elif report.failed:
            self.add("errors" if around else "failed", report.nodeid)
        elif part:
            return
        elif report.skipped:
            self.add("xfailed" if hasattr(report, "wasxfail") else "skipped")
        elif not around:
            self.add("xpassed" if hasattr(report, "wasxfail") else "passed")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        listed = bool(session.config.getoption("collectonly", False))
        self.write(
            "end",
            sums=self.sums,
            failed=self.failed,
            missing=0 if listed else self.selected - len(self.ended),
        )
