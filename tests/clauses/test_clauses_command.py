"""`cardshoe clauses` as people and programs call it: table, JSON, page, exit status."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cardshoe import cli
from cardshoe.games.clauses import load_clauses

IDS = [clause.id for clause in load_clauses()]


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    """A folder of tests in which one case names every clause."""
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "cases.jsonl").write_text("\n".join(json.dumps({"cites": identity}) for identity in IDS))
    return folder


def test_json_gives_every_clause_with_its_places(complete: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["clauses", "--tests", str(complete), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is True
    assert answer["missing"] == []
    assert [one["id"] for one in answer["clauses"]] == IDS
    for number, one in enumerate(answer["clauses"], start=1):
        assert set(one) == {"id", "kind", "rule", "code", "tests"}
        assert one["tests"] == [{"file": "tests/cases.jsonl", "line": number, "name": "case"}]
        assert one["code"]
        assert set(one["code"][0]) == {"file", "line", "name"}


def test_the_line_of_a_place_holds_the_id_or_its_last_label(complete: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["clauses", "--tests", str(complete), "--json"])
    source = Path(cli.__file__).parents[2]
    wrong = []
    for one in json.loads(capsys.readouterr().out)["clauses"]:
        last_label = re.findall(r"\([a-z0-9]+\)|\d+$", one["id"])[-1]
        for place in one["code"]:
            line = (source / place["file"]).read_text().splitlines()[place["line"] - 1]
            if one["id"] not in line and last_label not in line and not re.search("–", line):
                wrong.append((one["id"], place))
    assert wrong == []


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_clause_without_a_test_is_listed_with_status_1(
    complete: Path, form: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (complete / "cases.jsonl").read_text().splitlines()
    gone = IDS.index("NY-5324.36(e)(1)")
    (complete / "cases.jsonl").write_text("\n".join(lines[:gone] + lines[gone + 1 :]))
    assert cli.run(["clauses", "--tests", str(complete), *form]) == 1
    shown = capsys.readouterr().out
    if form:
        assert json.loads(shown)["missing"] == [{"id": "NY-5324.36(e)(1)", "lacks": ["test"]}]
    else:
        assert "NY-5324.36(e)(1) has no test: before the flop each player" in shown
        assert f"{len(IDS)} clauses, {len(IDS) - 1} complete, 1 not" in shown


def test_without_tests_the_column_says_so_and_code_alone_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["clauses"]) == 0
    assert f"{len(IDS)} clauses, {len(IDS)} with code, 0 without; tests are not installed." in capsys.readouterr().out
    assert cli.run(["clauses", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["tests"] is None
    assert {one["tests"] for one in answer["clauses"]} == {None}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "tr" and given.get("id"):
            self.ids.append(str(given["id"]))
        self.links += [str(value) for name, value in attrs if name in {"src", "href"}]


def test_the_page_stands_alone_and_has_a_row_for_every_clause(complete: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    (complete / "cases.jsonl").write_text(json.dumps({"cites": IDS[:-1]}))
    assert cli.run(["clauses", "--tests", str(complete), "--html", str(path), "--json"]) == 1
    read = _Page()
    read.feed(path.read_text())
    assert read.ids == IDS
    assert read.links == [f"#{IDS[-1]}"]  # nothing is loaded from elsewhere; what is missing is linked


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--tests", "nowhere", "no such folder"), ("--html", "nowhere/page.html", "cannot be written")],
)
def test_what_cannot_be_used_is_named_with_status_2(
    option: str, value: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["clauses", option, os.fspath(tmp_path / value)]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert value in shown
    assert "Traceback" not in shown
