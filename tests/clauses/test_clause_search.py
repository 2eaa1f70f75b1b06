"""What counts as naming a clause, and where a naming stands: tables of texts, and the list itself.

The ids here are examples of spelling; this folder is no proof of any clause.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cardshoe.cli.clause_search import Finder, Place, files_of_tests, product_files
from cardshoe.errors import InputError
from cardshoe.games.clauses import HEADER, load_clauses, parse_clauses

IDS = [clause.id for clause in load_clauses()]
FINDER = Finder(IDS)
E1 = "NY-5324.36(e)(1)"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param(f"x {E1}.", [E1], id="in prose"),
        pytest.param(f'"{E1}"', [E1], id="quoted"),
        pytest.param(f"({E1})", [E1], id="in brackets"),
        pytest.param(f"{E1}(i)", [f"{E1}(i)"], id="the longer id only"),
        pytest.param(f"{E1}(x)", [], id="an id that is none"),
        pytest.param(f"{E1}a", [], id="a letter after it"),
        pytest.param(f"A{E1}", [], id="a letter before it"),
        pytest.param("NY-5324.36(e)", [], id="a paragraph that is no clause"),
        pytest.param("5324.36(e)(1)", [], id="without its state"),
        pytest.param("ny-5324.36(e)(1)", [], id="in lower case"),
        pytest.param("NJ-69F-20.12A(a)1", ["NJ-69F-20.12A(a)1"], id="a number at the end"),
        pytest.param("NJ-69F-20.12A(a)11", [], id="another number"),
        pytest.param(f"{E1}–(3)", [E1, "NY-5324.36(e)(2)", "NY-5324.36(e)(3)"], id="a range names its level only"),
        pytest.param(f"{E1}-(2)", [E1, "NY-5324.36(e)(2)"], id="a range with a hyphen"),
        pytest.param(f"{E1}, (3), (5)", [E1, "NY-5324.36(e)(3)", "NY-5324.36(e)(5)"], id="a list"),
        pytest.param(f"{E1} and (3)", [E1, "NY-5324.36(e)(3)"], id="two of them"),
        pytest.param(f"{E1}, (3)–(5), (7)", [f"NY-5324.36(e)({n})" for n in (1, 3, 4, 5, 7)], id="both"),
        pytest.param(f"{E1}–(99)", [E1], id="a range to nowhere"),
        pytest.param(f"{E1}, (x)", [E1], id="a list with a stranger"),
        pytest.param(f"{E1}, (e)(3)", [E1], id="a shortened id that says two levels"),
        pytest.param("NY-5324.35(c)–(g)", [], id="a range of paragraphs"),
        pytest.param(
            "NY-5324.36(d)(1)(i)–(iv)",
            [f"NY-5324.36(d)(1)({n})" for n in ("i", "ii", "iii", "iv")],
            id="Roman numbers",
        ),
        pytest.param("NJ-69F-20.12A(a)1–3", [f"NJ-69F-20.12A(a){n}" for n in (1, 2, 3)], id="numbers without brackets"),
        pytest.param("NJ-69F-20.12A(c), (d)", ["NJ-69F-20.12A(c)", "NJ-69F-20.12A(d)"], id="letters"),
    ],
)
def test_an_id_counts_only_where_it_stands_exactly(text: str, named: list[str]) -> None:
    assert [identity for identity, _offset in FINDER.ids_in(text)] == named


@pytest.mark.parametrize("identity", IDS)
def test_every_id_is_found_alone_and_no_other_with_it(identity: str) -> None:
    assert [found for found, _offset in FINDER.ids_in(f'cites="{identity}",')] == [identity]


SOURCE = f'''"""A module: {E1}."""

TABLE = (
    Row("{E1}"),
    plain("{E1}"),
)


class Round:
    def settle(self):
        # {E1}
        return 1


async def ask(): return "{E1}"
'''


def test_a_place_says_what_stands_there() -> None:
    found = FINDER.places([("cardshoe/some.py", SOURCE)])
    assert found[E1] == [
        Place("cardshoe/some.py", 4, "TABLE.Row"),
        Place("cardshoe/some.py", 5, "TABLE"),
        Place("cardshoe/some.py", 11, "Round.settle"),
        Place("cardshoe/some.py", 15, "ask"),
        Place("cardshoe/some.py", 1, "module"),
    ]
    assert all(not places for identity, places in found.items() if identity != E1)


def test_a_line_counts_once_and_a_case_is_called_a_case() -> None:
    found = FINDER.places([("tests/data/a.jsonl", f'{{}}\n{{"cites": "{E1}", "again": "{E1}"}}\n')])
    assert found[E1] == [Place("tests/data/a.jsonl", 2, "case")]


def test_a_file_that_is_no_python_is_named() -> None:
    with pytest.raises(InputError, match=r"a\.py is not Python, line 2") as refused:
        FINDER.places([("a.py", f"# {E1}\ndef (\n")])
    assert refused.value.code == "clauses-file"


def test_tests_are_read_from_modules_and_cases_and_not_from_the_tests_of_the_list(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    for name in ("round/test_a.py", "round/played.py", "data/cases.jsonl", "clauses/test_list.py", "bench/test_b.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# nothing\n")
    assert [name for name, _text in files_of_tests(folder)] == ["tests/data/cases.jsonl", "tests/round/test_a.py"]


def test_a_test_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_bytes.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="test_bytes") as refused:
        list(files_of_tests(tmp_path))
    assert refused.value.code == "clauses-file"


def test_the_package_is_read_as_installed_without_the_files_of_the_list() -> None:
    names = {name for name, _text in product_files()}
    assert {"cardshoe/round/machine.py", "cardshoe/games/hands.py", "cardshoe/cards.py"} <= names
    assert not {name for name in names if "clause" in name or "/data/" in name}


def test_the_list_has_three_columns_and_unique_ids() -> None:
    assert len(IDS) == len(set(IDS)) == 121
    assert {clause.kind for clause in load_clauses()} == {
        "layout", "hands", "wagers", "dealing", "round", "settle", "pay", "irregular"
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "id\tkind\n",
        f"{HEADER}\nNY-1\tpay\n",
        f"{HEADER}\nNY-1\tpay\t\n",
        f"{HEADER}\nNY-1\tpay\ta\nNY-1\tpay\tb\n",
    ],
    ids=["header", "two columns", "no rule", "twice"],
)
def test_a_damaged_list_is_refused_by_line(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_clauses(text)
    assert refused.value.code == "clause-list"
