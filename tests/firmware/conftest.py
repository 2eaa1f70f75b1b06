"""Fixtures of the reference firmware: built once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from firmware_kit import Lab, build, build_library, need


@pytest.fixture(scope="session")
def firmware_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the builds of this run lie; without a compiler there is nothing to test."""
    need("gcc", "apt install gcc libc6-dev")
    return tmp_path_factory.mktemp("fw")


@pytest.fixture(scope="session")
def library(firmware_dir: Path) -> Path:
    """The host build under the test's clock."""
    return build_library(firmware_dir)


@pytest.fixture
def lab(library: Path) -> Lab:
    """A firmware with blank memory under a virtual clock."""
    made = Lab(library)
    made.start()
    return made


@pytest.fixture(scope="session")
def host(firmware_dir: Path) -> Path:
    """The host program."""
    return build(firmware_dir, "host")
