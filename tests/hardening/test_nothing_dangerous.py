"""What the product's source may not do at all: no shell, nothing that runs what it reads, no file of unknown size."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cardshoe"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if "data" not in path.relative_to(SOURCE).parts)

FORBIDDEN_CALLS = {"eval", "exec", "__import__", "os.system", "os.popen", "pty.spawn", "marshal.loads", "input"}
FORBIDDEN_IMPORTS = {"pickle", "cPickle", "shelve", "dill", "yaml", "code", "codeop", "xml", "telnetlib", "ftplib"}
NETWORK = {"urllib", "http", "requests", "httpx", "smtplib", "aiohttp", "socketserver"}
MASKED_TRACES = {"show_locals", "capture_locals", "pretty_exceptions_show_locals"}
WHOLE_FILES = {"read_text", "read_bytes"}
ALLOWED = {
    "cli/installed_files.py marshal.loads",  # a compiled file that Python itself would run is looked at, not run
}
READS_WHOLE = {
    "bounded_files.py",  # is the bound
    "cli/bill_of_materials.py", "cli/installed_files.py",  # what is installed
    "cli/clause_search.py", "cli/devices.py", "cli/journal_keep.py", "wire/spec.py", "games/clauses.py",
    "games/rule_pack.py",
    "console/pages.py",  # our own package data and source
    "cli/doctor_checks.py", "cli/doctor_hardware.py", "cli/private_process.py", "transport/discovery.py",
    "transport/holders.py", "table/people_file.py",  # of the kernel, /proc and /sys
    "journal/standalone_verifier.py",  # an auditor's own program, for files that he chose
}  # fmt: skip


def found(tree: ast.AST) -> Iterator[str]:
    """What in `tree` is forbidden everywhere."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, keywords=keywords):
                name = ast.unparse(function)
                if name in FORBIDDEN_CALLS:
                    yield name
                for keyword in keywords:
                    if keyword.arg == "shell" and not (
                        isinstance(keyword.value, ast.Constant) and not keyword.value.value
                    ):
                        yield "shell="
                    if keyword.arg in MASKED_TRACES and ast.unparse(keyword.value) != "False":
                        yield keyword.arg
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.split(".")[0] in FORBIDDEN_IMPORTS | NETWORK)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in FORBIDDEN_IMPORTS | NETWORK:
                yield module
            case _:
                pass


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_shell_no_pickle_no_eval(path: Path) -> None:
    """Nor a way out to the network: a client of HTTP, mail or files is nowhere (T14)."""
    name = str(path.relative_to(SOURCE))
    here = {f"{name} {what}" for what in found(ast.parse(path.read_text("utf-8")))} - ALLOWED
    assert {line for line in here if not line.endswith("http.cookies")} == set()


@pytest.mark.parametrize(
    "line",
    ["eval(x)", "exec(x)", "os.system(x)", "subprocess.run(x, shell=True)", "subprocess.run(x, shell=y)",
     "import pickle",
     "from pickle import loads", "import yaml", "import urllib.request", "from http.client import HTTPConnection",
     "marshal.loads(x)", "install(show_locals=True)"],
)  # fmt: skip
def test_such_a_line_would_be_found(line: str) -> None:
    assert list(found(ast.parse(line)))


@pytest.mark.parametrize("line", ["subprocess.run(x, shell=False)", "import json", "regex.compile(x)", "evaluate(x)"])
def test_a_harmless_line_is_not(line: str) -> None:
    assert not list(found(ast.parse(line)))


def test_a_file_that_is_handed_in_is_read_up_to_a_size() -> None:
    """Whole files are read where they are our own or the kernel's; all others through `bounded_files` or by size."""
    readers = {
        str(path.relative_to(SOURCE))
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] not in ("lab", "sim")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WHOLE_FILES
    }
    assert readers - READS_WHOLE == set()


def test_files_are_not_read_without_a_number() -> None:
    """`file.read()` with no number reads as much as somebody wrote; `read` of our own stores takes none."""
    bare = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] not in ("lab", "sim")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "read"
        and not node.args
        and ast.unparse(node.func.value) not in ("store", "self", "self.read")
    ]
    assert [place for place in bare if not place.startswith("journal/standalone_verifier.py")] == []


def test_no_live_table_has_a_tap_and_none_has_the_simulator() -> None:
    """T17: what opens a live table imports neither the tap of the wire nor the simulator; demo and bench do."""
    for name in ("table", "transport", "console", "journal", "devices", "link", "wire", "round", "games"):
        for path in sorted((SOURCE / name).rglob("*.py")):
            if "data" in path.relative_to(SOURCE).parts:
                continue
            text = path.read_text("utf-8")
            assert "cardshoe.sim" not in text, path
            if name != "transport":
                assert "TraceFile(" not in text, path
                assert "Tap(" not in text, path
    assert "Tap" not in (SOURCE / "cli" / "run_table.py").read_text("utf-8")
