"""Support: a bare Debian with cardshoe under /opt, booted in user-mode Linux with systemd as process 1. Not a test.

The root comes from Debian's packages (mmdebstrap), once for each test run; into it goes what `pip install` would put
there: the wheel of this tree and the packages that it needs, taken from the environment that runs the tests.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GUEST = Path(__file__).with_name("systemd_guest.py")
PROBE = Path(__file__).with_name("confined_probe.py")
IMAGE_MB = 1600
BOOT_S = 900
PACKAGES = "systemd,udev,python3,python3-venv"
CHECK = """\
[Unit]
Description=What the computer outside wants to know
After=network.target
[Service]
Type=exec
ExecStart=/usr/bin/python3 /opt/systemd_guest.py {outside}
StandardError=journal+console
"""
QUIET = ("systemd-udev-trigger", "systemd-timesyncd", "getty.target", "console-getty", "apt-daily.timer")


@dataclass(frozen=True)
class Debian:
    """A machine: the kernel as a program, and the disk that it boots from."""

    uml: Path
    work: Path

    @property
    def disk(self) -> Path:
        return self.work / "disk"

    def build(self) -> None:
        """Make the disk: a bare Debian, cardshoe under /opt as pip installs it, and the check as a unit."""
        tree = self.work / "tree"
        archive = self.work / "debian.tar"
        made = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(archive)]
        subprocess.run(made, check=True)
        tree.mkdir()
        subprocess.run(["tar", "-C", str(tree), "-xf", str(archive)], check=True)
        subprocess.run(["chroot", str(tree), "python3", "-m", "venv", "--without-pip", "/opt/cardshoe"], check=True)
        _install(tree / "opt/cardshoe", self.work)
        for program in (GUEST, PROBE):
            shutil.copy(program, tree / "opt" / program.name)
        (tree / "outside").mkdir()
        units = tree / "etc/systemd/system"
        (units / "check.service").write_text(CHECK.format(outside=self.work))
        (units / "multi-user.target.wants").mkdir(exist_ok=True)
        (units / "multi-user.target.wants/check.service").symlink_to("/etc/systemd/system/check.service")
        self.disk.touch()
        subprocess.run(
            ["mke2fs", "-q", "-t", "ext4", "-d", str(tree), str(self.disk), f"{IMAGE_MB}M"],
            check=True,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )
        shutil.rmtree(tree)  # a third of a gigabyte, which nobody looks at any more
        archive.unlink()

    def boot(self) -> None:
        """Start the machine; returns when it has powered off."""
        kernel = [str(self.uml / "usr/bin/linux.uml"), "mem=1024M", f"ubd0={self.disk}", "root=/dev/ubda", "rw"]
        kernel += ["init=/lib/systemd/systemd", "con=null", "con0=fd:0,fd:1", "ssl0=pts", "quiet"]
        kernel += [
            "systemd.unit=multi-user.target",
            "systemd.show_status=false",
            *(f"systemd.mask={name}" for name in QUIET),
        ]
        console = self.work / "console"
        with console.open("ab") as said:
            subprocess.run(kernel, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=BOOT_S, check=False)

    def seen(self) -> list[dict[str, Any]]:
        """What the check told, over all boots."""
        file = self.work / "seen.jsonl"
        if not file.exists():
            raise AssertionError((self.work / "console").read_text(errors="replace")[-4000:])
        return [json.loads(line) for line in file.read_text().splitlines()]


def _install(venv: Path, work: Path) -> None:
    """Put cardshoe and what it needs into an environment of the same Python, as pip would, with nothing to ask."""
    wheels = work / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    site = next((venv / "lib").glob("python3.*")) / "site-packages"
    into = ["--quiet", "--no-index", "--no-deps", "--target", str(site)]
    subprocess.run([sys.executable, "-m", "pip", "install", *into, *map(str, wheels.glob("*.whl"))], check=True)
    for name in _needed("cardshoe"):
        for file in metadata.distribution(name).files or ():
            if ".." in file.parts or "__pycache__" in file.parts:
                continue  # commands of other packages, and what Python makes again
            goal = site / file
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), goal)
    command = venv / "bin/cardshoe"
    command.write_text("#!/opt/cardshoe/bin/python3\nfrom cardshoe.cli import main\nmain()\n")
    command.chmod(0o755)


def _needed(name: str) -> set[str]:
    """Return the packages that `name` needs, and that these need; extras apart."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for line in metadata.requires(todo.pop()) or ():
            wanted, _, condition = line.partition(";")
            each = re.split(r"[^A-Za-z0-9._-]", wanted.strip())[0].lower().replace("_", "-")
            if "extra" in condition or each in found or not _is_here(each):
                continue
            found.add(each)
            todo.append(each)
    return found


def _is_here(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:  # for another system or another Python
        return False
    return True
