"""gpuci counts with this what pytest ran, and changes nothing of it.

One JSON object a line, in the file beside this one: the session begins, each
test begins and is counted, where its modules were, the session ends with its sums. It is loaded
by -p, so a pytest that a test starts does not have it, and an xdist worker hands
what it alone knows to its controller.
"""
import json
import os
import sys

import pytest

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest.jsonl")
NAMES = 20
DIRECTORIES = 2000


def pytest_configure(config):
    worker = hasattr(config, "workerinput")
    config.pluginmanager.register(Worker() if worker else Counter(), "gpuci-counter")


def modules():
    """A file of each directory that modules came from, but for what is installed."""
    installed = {"site-packages", "dist-packages"}
    library = os.path.realpath(os.path.dirname(os.__file__)) + os.sep
    found = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if not isinstance(file, str) or len(found) == DIRECTORIES:
            continue
        file = os.path.realpath(file)
        where = os.path.dirname(file)
        if where in found or file.startswith(library) or installed & set(where.split(os.sep)):
            continue
        found[where] = file
    return sorted(found.values())


class Collected:
    """What was collected, and is neither run nor deselected, somebody dropped."""

    def __init__(self):
        self.collected = {}  # by identity: xdist's --dist loadgroup renames items
        self.excused = []

    def pytest_itemcollected(self, item):
        self.collected[id(item)] = (item, item.nodeid)

    def pytest_deselected(self, items):
        self.excused.extend(items)

    def dropped(self, session):
        known = list(session.items) + self.excused
        here, names = {id(item) for item in known}, {item.nodeid for item in known}
        gone = {name for at, (_, name) in self.collected.items() if at not in here}
        self.collected.clear()
        self.excused.clear()
        return sorted(gone - names)


class Worker(Collected):
    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        session.config.workeroutput["gpuci_dropped"] = self.dropped(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        session.config.workeroutput["gpuci_modules"] = modules()


class Counter(Collected):
    def __init__(self):
        super().__init__()
        self.pid = os.getpid()
        self.file = os.open(REPORT, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.sums = dict.fromkeys(
            "passed failed errors skipped xfailed xpassed deselected rerun".split(), 0
        )
        self.failed = []
        self.ended = set()
        self.selected = 0
        self.gone = set()
        self.modules = set()

    def write(self, event, **what):
        if os.getpid() == self.pid:  # and not in what a test forked
            what["event"] = event
            os.write(self.file, (json.dumps(what) + "\n").encode())

    def add(self, sum, nodeid):
        self.sums[sum] += 1
        ran = sum not in ("skipped", "xfailed")
        self.write("counted" if ran else "ignored", name=nodeid)
        if sum in ("errors", "failed") and len(self.failed) < NAMES and nodeid not in self.failed:
            self.failed.append(nodeid)

    def pytest_sessionstart(self):
        self.write("begin")

    def pytest_collectreport(self, report):
        if report.failed:
            self.add("errors", report.nodeid)
        elif report.skipped:
            self.add("skipped", report.nodeid)

    def pytest_deselected(self, items):
        super().pytest_deselected(items)
        self.sums["deselected"] += len(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.selected = len({item.nodeid for item in session.items})
        self.gone.update(self.dropped(session))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        told = getattr(node, "workeroutput", None) or {}
        self.gone.update(told.get("gpuci_dropped", ()))
        self.modules.update(told.get("gpuci_modules", ()))

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
            self.sums["rerun"] += 1
        elif report.failed:
            self.add("errors" if around else "failed", report.nodeid)
        elif part:
            return
        elif report.skipped:
            self.add("xfailed" if hasattr(report, "wasxfail") else "skipped", report.nodeid)
        elif not around:
            self.add("xpassed" if hasattr(report, "wasxfail") else "passed", report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        listed = bool(session.config.getoption("collectonly", False))
        for file in sorted(self.modules.union(modules())):
            self.write("module", file=file)
        self.write(
            "end",
            sums=self.sums,
            failed=self.failed,
            missing=0 if listed else self.selected - len(self.ended),
            dropped=0 if listed else len(self.gone),
            gone=sorted(self.gone)[:3],
        )
