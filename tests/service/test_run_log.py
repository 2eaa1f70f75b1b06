"""The log of a running table: where it goes, how large it becomes, what it may not hold (P4)."""

from __future__ import annotations

import logging
import signal
import stat
from pathlib import Path

import pytest
from service_kit import BY_HAND, Listener, Service

from cardshoe.cli.run_log import RunLog, run_log
from cardshoe.errors import ConfigError
from cardshoe.table.config import ServicePart

WAITING = (
    BY_HAND.replace('method = "hand"\n', "")
    + '[devices.shoe]\nurl = "serial:///dev/cardshoe-not-there"\n[service]\nwait_for_devices = true\n'
)
_log = logging.getLogger("cardshoe.table.app")


def _to(file: Path | None, *, most: int = 1 << 20, kept: int = 2, private: bool = False) -> RunLog:
    return RunLog(file, most, kept, private=private, all_told=file is not None)


@pytest.mark.parametrize(
    ("configured", "asked", "served", "file", "all_told"),
    [
        (None, None, False, None, False),
        (None, None, True, None, True),
        ("run.log", None, False, Path("/etc/t/run.log"), True),
        ("/var/log/t.log", None, True, Path("/var/log/t.log"), True),
        ("run.log", Path("here.log"), False, Path("here.log"), True),
    ],
)
def test_where_the_log_goes(
    configured: str | None, asked: Path | None, served: bool, file: Path | None, all_told: bool
) -> None:
    """The option before the configuration, whose paths count from its own folder."""
    log = run_log(ServicePart(log_file=configured), asked, Path("/etc/t"), private=True, served=served)
    assert log == RunLog(file, 8 << 20, 4, private=True, all_told=all_told)


def test_a_file_is_put_aside_at_its_size_and_few_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "run.log"
    with _to(file, most=400, kept=2).kept_open():
        for number in range(60):
            _log.info("line %03d of the log", number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["run.log", "run.log.1", "run.log.2"]
    assert all(path.stat().st_size <= 400 for path in tmp_path.iterdir())
    newest = [line.split(" ", 3)[3] for line in file.read_text().splitlines()]
    assert newest[-1] == "line 059 of the log"
    assert "line 000" not in "".join(path.read_text() for path in tmp_path.iterdir())


def test_after_the_block_nothing_is_written_and_nothing_changed(tmp_path: Path) -> None:
    logger = logging.getLogger("cardshoe")
    before = (logger.level, list(logger.handlers))
    with _to(tmp_path / "run.log").kept_open():
        _log.info("inside")
    _log.warning("outside")
    assert (logger.level, list(logger.handlers)) == before
    assert "outside" not in (tmp_path / "run.log").read_text()


@pytest.mark.parametrize("private", [True, False], ids=["live", "bench"])
@pytest.mark.parametrize("where", ["file", "standard error"])
def test_an_error_of_the_program_tells_no_value_at_a_live_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str, private: bool
) -> None:
    """P4: type and places stay, the message and the source's line go; a bench keeps what a developer needs."""
    file = tmp_path / "run.log" if where == "file" else None
    with _to(file, private=private).kept_open():
        try:
            {}["".join(["Q", "h"])]
        except KeyError:
            _log.exception("the table stopped")
    told = file.read_text() if file is not None else capsys.readouterr().err
    assert "the table stopped" in told
    assert "KeyError" in told
    assert ("'Qh'" in told) is not private
    assert ("Traceback" in told) is not private


def test_a_log_that_cannot_be_begun_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused, _to(tmp_path / "away" / "run.log").kept_open():
        pass
    assert refused.value.code == "log-file"
    assert "No such file or directory" in refused.value.text


def test_a_log_that_breaks_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A full disk ends no table; what could not be written is not shown instead."""
    with _to(Path("/dev/full"), most=1 << 20).kept_open():
        _log.warning("who is Ann")
        _log.warning("who is Bob")
    told = capsys.readouterr().err
    assert told.count("cannot be written any more") == 1
    assert "Ann" not in told


def test_real_the_file_is_its_owners_alone_and_holds_what_standard_error_would(tmp_path: Path) -> None:
    config = WAITING + 'log_file = "run.log"\n'
    with Listener(str(tmp_path / "notify")) as listener, Service(tmp_path, config, listener) as service:
        listener.until("READY")
        service.process.send_signal(signal.SIGTERM)
        status, _out, err = service.ended()
    told = (tmp_path / "run.log").read_text()
    assert (status, err) == (0, "")
    assert stat.S_IMODE((tmp_path / "run.log").stat().st_mode) == 0o600
    assert "WARNING shoe: not connected at serial:///dev/cardshoe-not-there" in told


def test_real_the_option_goes_before_the_configuration(tmp_path: Path) -> None:
    config = WAITING + 'log_file = "run.log"\n'
    with Service(tmp_path, config, None, "--log-file", str(tmp_path / "other.log")) as service:
        assert service.ended()[0] == 0
    assert "not connected" in (tmp_path / "other.log").read_text()
    assert not (tmp_path / "run.log").exists()


def test_real_a_log_that_cannot_be_begun_ends_with_2(tmp_path: Path) -> None:
    with Service(tmp_path, BY_HAND, None, "--log-file", str(tmp_path / "away" / "run.log")) as service:
        status, out, err = service.ended()
    assert (status, out) == (2, "")
    assert "away/run.log" in err
    assert not service.journal.exists()
