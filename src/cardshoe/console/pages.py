"""The pages and what they are made of: read once, from the package, and served from memory.

Owns the closed list of files, so that no path of a request ever reaches a file system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardshoe.errors import Refused
from cardshoe.games.quoting import quoted

_TYPES: Final[Mapping[str, str]] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One file as it is sent."""

    content: bytes
    media_type: str


class Pages:
    """All files of the console, by their path below `static`."""

    def __init__(self) -> None:
        self.files: Mapping[str, Page] = dict(_read(resources.files("cardshoe.console") / "static", ""))

    async def first(self, _request: Request) -> Response:
        """Lead to the dealer's page."""
        return RedirectResponse("/dealer", status_code=307)

    async def page(self, request: Request) -> Response:
        """Answer one of the pages; which ones there are stands in the table of routes."""
        return self._answer(f"{request.url.path.removeprefix('/')}.html")

    async def file(self, request: Request) -> Response:
        """Answer a script, a style or a catalogue of texts."""
        name = str(request.path_params["name"])
        if name not in self.files or name.endswith(".html"):
            raise Refused("console-path", f"there is no {quoted(name)} here")
        return self._answer(name)

    def _answer(self, name: str) -> Response:
        page = self.files[name]
        return Response(page.content, media_type=page.media_type)


def _read(folder: Traversable, prefix: str) -> Iterator[tuple[str, Page]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read(entry, f"{prefix}{entry.name}/")
            continue
        kind = _TYPES.get(entry.name.rpartition(".")[2])
        if kind is not None:
            yield f"{prefix}{entry.name}", Page(entry.read_bytes(), kind)
