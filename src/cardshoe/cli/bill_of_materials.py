"""The software bill of materials: what of other makers is installed with cardshoe, as CycloneDX 1.5 JSON.

Owns the walk over the installed distributions that cardshoe needs to run, and the form. It reads what pip installed and
asks nobody. Tests' and benches' packages are not in it. The same installation gives the same text.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from importlib import metadata
from typing import Any, Final

import cardshoe

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA: Final = re.compile(r"\bextra\s*==")
_LICENCE_LINE: Final = "License :: OSI Approved :: "
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "cardshoe.bill-of-materials")


def bill_of_materials() -> dict[str, Any]:
    """Return the bill of materials as plain JSON."""
    found = runtime_distributions()
    components = [_component(name, found[name]) for name in sorted(found)]
    dependencies = [{"ref": _ref("cardshoe", cardshoe.__version__), "dependsOn": _refs(_needs("cardshoe"), found)}]
    dependencies += [
        {"ref": _ref(name, found[name].version), "dependsOn": _refs(_needs(name), found)} for name in sorted(found)
    ]
    content = json.dumps([components, dependencies], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _ref("cardshoe", cardshoe.__version__),
                "name": "cardshoe",
                "version": cardshoe.__version__,
                "licenses": [{"expression": "Apache-2.0"}],
                "purl": _ref("cardshoe", cardshoe.__version__),
            }
        },
        "components": components,
        "dependencies": dependencies,
    }


def runtime_distributions() -> dict[str, metadata.Distribution]:
    """Return the installed distributions that cardshoe needs to run, directly or not, by their normal names."""
    found: dict[str, metadata.Distribution] = {}
    waiting = _needs("cardshoe")
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # needed on another system or Python only
            continue
        waiting += _needs(name)
    return found


def licences(found: metadata.Distribution) -> tuple[str, ...]:
    """Return what a distribution says of its licence: the expression, or the text and the classifiers."""
    told = found.metadata
    if "License-Expression" in told:
        return (told["License-Expression"],)
    named = [line.removeprefix(_LICENCE_LINE) for line in told.get_all("Classifier") or () if _LICENCE_LINE in line]
    text = "\n".join(told.get_all("License") or ()).strip().splitlines()
    return tuple(named) or tuple(text[:1])


def _component(name: str, found: metadata.Distribution) -> dict[str, Any]:
    record = found.read_text("RECORD") or ""
    return {
        "type": "library",
        "bom-ref": _ref(name, found.version),
        "name": name,
        "version": found.version,
        "licenses": [{"license": {"name": text}} for text in licences(found)],
        "purl": _ref(name, found.version),
        "properties": [{"name": "cardshoe:record-sha256", "value": hashlib.sha256(record.encode()).hexdigest()}],
    }


def _needs(name: str) -> list[str]:
    """Return what distribution `name` needs, extras aside; markers are answered by what is installed."""
    try:
        wanted = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    plain = [text for text in wanted if not _EXTRA.search(text)]
    return [_normal(match[0]) for text in plain if (match := _NAME.match(text))]


def _refs(names: list[str], found: dict[str, metadata.Distribution]) -> list[str]:
    return sorted({_ref(name, found[name].version) for name in names if name in found})


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _ref(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"
