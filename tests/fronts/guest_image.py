"""A guest with real USB: an initramfs that borrows the host's root, and QEMU that boots it.

Owns the choice and order of kernel modules, the guest's init and QEMU's command line. The kernel is a distribution's
package, unpacked (`apt-get download linux-image-…`, `dpkg-deb -x`), in the folder that CARDSHOE_GUEST_KERNEL names.
Always in emulation: nested virtualisation hangs on some hosts.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

MODULES = (
    *("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay", "usbcore", "vhci-hcd", "cdc-acm"),
    *("usbhid", "hid-generic"),
)
APPLETS = ("sh", "mount", "insmod", "mkdir", "cat", "ip", "ifconfig", "chroot", "tr", "grep", "cut", "poweroff")
INIT = """#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for m in /modules/*; do insmod $m || echo "cannot load $m"; done
mkdir -p /host /top /new
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose hostroot /host || echo "no 9p"
mount -t tmpfs top /top; mkdir -p /top/upper /top/work
mount -t overlay -o lowerdir=/host,upperdir=/top/upper,workdir=/top/work root /new || echo "no overlay"
ifconfig lo 127.0.0.1 up
ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
ip route add default via 10.0.2.2
mount -t proc proc /new/proc; mount -t sysfs sys /new/sys; mount -t devtmpfs dev /new/dev
mkdir -p /new/dev/pts; mount -t devpts pts /new/dev/pts
mount -t tmpfs run /new/run
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PYTHONDONTWRITEBYTECODE=1
told() { cat /proc/cmdline | tr ' ' '\\n' | grep "^$1=" | cut -d= -f2; }
export PYTHONPATH=$(told source) FRONT_RULES=$(told rules)
chroot /new $(told python) $(told script) $(told bench) $(told jobs) $(told usbip)
echo "the guest's script has ended with $?"
poweroff -f
"""


def load_order(tree: Path) -> list[Path]:
    """The modules' files, each after those that it needs; what is built in has none."""
    version = next((tree / "lib/modules").iterdir()).name
    folder = tree / "lib/modules" / version
    if not (folder / "modules.dep").exists():
        subprocess.run(["depmod", "-b", str(tree), version], check=True)
    needs: dict[str, list[str]] = {}
    for line in (folder / "modules.dep").read_text(encoding="ascii").splitlines():
        path, _, rest = line.partition(":")
        needs[path] = rest.split()
    by_name = {Path(path).name.split(".ko")[0].replace("-", "_"): path for path in needs}
    order: list[str] = []
    for name in MODULES:
        found = by_name.get(name.replace("-", "_"))
        if found is not None:
            order += [path for path in [*reversed(needs[found]), found] if path not in order]
    return [folder / path for path in order]


def make_image(tree: Path, out: Path) -> None:
    """Write the initramfs."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name in ("bin", "dev", "proc", "sys", "modules"):
            (root / name).mkdir()
        shutil.copy("/bin/busybox", root / "bin/busybox")
        for name in APPLETS:
            (root / "bin" / name).symlink_to("busybox")
        for number, path in enumerate(load_order(tree)):
            shutil.copy(path, root / f"modules/{number:03d}-{path.name}")
        (root / "init").write_text(INIT, encoding="ascii")
        (root / "init").chmod(0o755)
        names = subprocess.run(["find", "."], cwd=root, check=True, capture_output=True).stdout
        pack = ["cpio", "-o", "-H", "newc", "--quiet"]
        out.write_bytes(
            gzip.compress(subprocess.run(pack, cwd=root, check=True, capture_output=True, input=names).stdout, 1)
        )


def boot(tree: Path, image: Path, told: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the guest; what it prints goes to standard error."""
    kernel = next((tree / "boot").glob("vmlinuz-*"))
    words = " ".join(f"{key}={value}" for key, value in told.items())
    command = [
        "qemu-system-x86_64", "-machine", "pc,accel=tcg", "-cpu", "max", "-m", "1024", "-smp", "1", "-nodefaults",
        "-nographic", "-no-reboot", "-serial", "stdio", "-kernel", str(kernel), "-initrd", str(image), "-append",
        f"console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=reliable edd=off {words}",
        "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
        "-device", "virtio-9p-pci,fsdev=root,mount_tag=hostroot",
        "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile=",
    ]  # fmt: skip
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, env=os.environ)
