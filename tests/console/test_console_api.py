"""The HTTP interface on a real table with a real journal: what it says, what it takes, what it keeps."""

from __future__ import annotations

import datetime
import json
import re
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from console_kit import Browser, Served, error, play_round, served
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cardshoe.cli import rehearse
from cardshoe.cli.operations import Operations
from cardshoe.console.address import Address, read_address
from cardshoe.console.guard import Limits
from cardshoe.console.operation_forms import FORMS
from cardshoe.console.routes import ROUTES
from cardshoe.errors import CardshoeError, ConfigError
from cardshoe.journal import verify
from cardshoe.round.machine import find_game


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


@pytest.fixture
def browser(console: Served) -> Iterator[Browser]:
    with Browser(console.url) as one:
        yield one


# --- a round


def test_a_round_by_http_alone(console: Served, browser: Browser) -> None:
    """Everything that a dealer says goes over HTTP; the payouts are those of the rules, the journal is sound."""
    play_round(browser)
    state = browser.state
    assert state["due"]["step"] == "open_round"
    assert state["tally"]["completed"] == 1
    rounds = browser.get("/api/rounds").json()["rounds"]
    assert [each["round"] for each in rounds] == [1]
    assert set(rounds[0]["account"]["positions"]) == {"1", "4"}
    assert rounds[0]["account"]["dealer"] == ["Qh", "Qd"]
    assert browser.post("/api/journal/verify").json()["ok"] is True
    assert browser.post("/api/journal/replay").json()["settled"] == 1


def test_settled_wagers_are_told_one_by_one(browser: Browser) -> None:
    """NY-5324.36(e)(8): what each wager won stands in the state while the hand lies there."""
    states = play_round(browser)
    results = [each["results"] for state in states for each in state["positions"] if each["results"]]
    assert results
    assert {"spot", "outcome", "won_cents", "returned_cents", "cites"} == set(results[0][0])


def test_what_the_rules_forbid_is_refused_and_changes_nothing(browser: Browser) -> None:
    """P3: the refusal has the code and the clause of the rules."""
    browser.must("open_round", seats={"1": "Ada"})
    before = browser.state["positions"]
    answer = browser.op("wager", position="1", player="Ada", wagers={"ante": 500})
    assert answer.status_code == 409
    assert answer.json()["error"]["cites"] == "NY-5324.36(c)(3)"
    assert browser.op("burn", cards=1).status_code == 409
    assert browser.state["positions"] == before


def test_the_last_decision_is_corrected_by_its_number(browser: Browser) -> None:
    browser.must("open_round", seats={"1": "Ada", "2": "Bob"})
    for position, player in (("1", "Ada"), ("2", "Bob")):
        browser.must("wager", position=position, player=player, wagers={"ante": 500, "blind": 500})
    browser.must("no_more_bets")
    while browser.state["due"]["step"] == "deal_card":
        browser.must("card", to=browser.state["due"]["to"])
    browser.must("decide", position="1", action="check")
    last = browser.state["last_entry"]
    assert last["op"] == "decide"
    assert last["position"] == "1"
    browser.must("correct", of=last["number"], action="play 4x")
    assert browser.state["positions"][0]["decided"] == ["play 4x"]
    assert error(browser.op("correct", of=last["number"] + 77, action="check")) == "nothing-to-correct"


# --- what is told


def test_the_state_comes_at_once_and_at_each_change(console: Served, browser: Browser) -> None:
    """A browser that was away gets the whole true state with its first event."""
    with browser.client.stream("GET", console.url + "/api/events") as stream:
        lines = stream.iter_lines()
        first = next(json.loads(line[6:]) for line in lines if line.startswith("data: {"))
        assert first["due"]["step"] == "open_round"
        with Browser(console.url) as other:
            other.must("open_round", seats={})
        later = next(json.loads(line[6:]) for line in lines if '"take_wagers"' in line)
        assert later["sequence"] > first["sequence"]
    with browser.client.stream("GET", console.url + "/api/events") as stream:
        again = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: {"))
        assert again["due"]["step"] == "take_wagers"


def test_health_and_metrics_hold_neither_names_nor_cards(console: Served, browser: Browser) -> None:
    play_round(browser)
    assert browser.get("/health").json()["ok"] is True
    text = browser.get("/metrics").text
    assert "cardshoe_rounds_completed_total 1" in text
    assert "Ada" not in text
    assert re.search(r"\b[AKQJT2-9][shdc]\b", text) is None
    for line in text.splitlines():
        assert line.startswith("#") or re.fullmatch(r'cardshoe_\w+(\{device="\w+"\})? \d+', line), line


def test_the_journal_is_searched_in_pages(browser: Browser) -> None:
    play_round(browser)
    first = browser.get("/api/journal", params={"last": 5}).json()
    assert len(first["records"]) == 5
    second = browser.get("/api/journal", params={"last": 5, "before": first["next"]}).json()
    assert second["records"][0]["seq"] < first["records"][-1]["seq"]
    found = browser.get("/api/journal", params={"kind": "decision-made", "round": 1}).json()["records"]
    assert {each["kind"] for each in found} == {"decision-made"}
    assert browser.get("/api/journal", params={"text": "ADA"}).json()["records"]
    assert browser.get("/api/journal", params={"text": "nobody of this name"}).json()["records"] == []


def test_an_export_is_the_whole_journal_with_its_proofs(console: Served, browser: Browser) -> None:
    """P6: as `cardshoe journal export` writes it."""
    play_round(browser)
    lines = [json.loads(line) for line in browser.get("/api/journal/export").text.splitlines()]
    assert [each["seq"] for each in lines] == list(range(1, len(lines) + 1))
    assert all(each["digest"] for each in lines)
    assert verify(console.journal).records == len(lines)


# --- the document


def test_the_document_and_the_server_have_the_same_routes(console: Served, browser: Browser) -> None:
    """Every documented route answers, with its method and no other."""
    document = browser.get("/api/openapi.json").json()
    told = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert told == {(each.method, each.path) for each in ROUTES if each.document and not each.lab}
    for method, path in told - {("GET", "/api/events")}:
        other = "GET" if method == "POST" else "POST"
        assert browser.client.request(method, console.url + path).status_code not in (404, 405)
        wrong = browser.client.request(other, console.url + path, headers={"origin": console.url})
        assert (wrong.status_code, error(wrong)) == (405, "console-method")
    assert browser.get("/api/lab").status_code == 404


def test_the_documented_operations_are_those_of_the_table() -> None:
    """Name by name and key by key: what `cardshoe run` takes is what the document says."""
    operations = Operations(find_game("ultimate-texas-holdem"), lambda: ())
    for op, (required, optional) in FORMS.items():
        with pytest.raises(CardshoeError) as unknown:
            operations.act({"op": op, **dict.fromkeys(required, None), "no such key": 1})
        assert unknown.value.code == "unknown-key", op
        for key in (*required, *optional):
            assert _refusal(operations, {"op": op, key: None}) != "unknown-key", (op, key)
        for key in required:
            with pytest.raises(CardshoeError) as missing:
                operations.act({"op": op, **dict.fromkeys(set(required) - {key}, None)})
            assert missing.value.code == "missing-key", (op, key)
    with pytest.raises(CardshoeError) as told:
        operations.act({"op": "?"})
    names = set(told.value.text.rpartition("there are ")[2].split(", "))
    assert names - {"irregularity", "sign_in", "sign_out", "second"} == set(FORMS)
    assert rehearse.EVENT_OF.keys() <= FORMS.keys()


def _refusal(operations: Operations, line: dict[str, object]) -> str:
    try:
        operations.act(line)
    except CardshoeError as refusal:
        return refusal.code
    return ""


# --- addresses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.0.0.0:8350", "certificate"),
        ("192.168.7.7:1", "certificate"),
        ("example.com:80", "IP-ADDRESS"),
        ("127.0.0.1", "port"),
        ("127.0.0.1:99999", "port"),
        ("", "port"),
        ("[::]:80", "certificate"),
    ],
)
def test_an_address_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_address(text)
    assert refusal.value.code == "console-address"
    assert words in refusal.value.text


def test_a_port_that_is_taken_is_named(console: Served, tmp_path: Path) -> None:
    port = int(console.url.rpartition(":")[2])
    (tmp_path / "other").mkdir()
    with pytest.raises(ConfigError) as refusal, served(tmp_path / "other", address=Address(port=port)):
        raise AssertionError("it was served twice")
    assert str(port) in refusal.value.text


def test_elsewhere_it_speaks_tls_only(tmp_path: Path) -> None:
    """A console that other machines reach has a certificate; a plain request there gets no page."""
    certificate, key = _certificate(tmp_path)
    address = read_address("0.0.0.0:0", certificate=certificate, key=key, names=("localhost",))
    with served(tmp_path, address=address) as running:
        trust = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(verify=trust) as client:
            answer = client.get(f"{running.url}/api/session")
            assert answer.status_code == 200
            assert "secure" in answer.headers["set-cookie"].lower()
        with pytest.raises(httpx.HTTPError):
            httpx.get(running.url.replace("https", "http"))


def _certificate(folder: Path) -> tuple[Path, Path]:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    certificate, key = folder / "cert.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, key


# --- limits


def test_a_flood_from_one_address_is_refused_and_passes(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(per_s=20, burst=10)) as running, httpx.Client() as client:
        codes = [client.get(f"{running.url}/health").status_code for _ in range(60)]
        assert 429 in codes
        assert codes[0] == 200
        time.sleep(0.3)
        assert client.get(f"{running.url}/health").status_code == 200
