"""What the routes of a demo do: make something go wrong, do what a person does about it, move the cards.

Owns the handlers; a console without a laboratory has none of these routes. They reach the simulated world by its
control socket only, never by the devices' protocol.
"""

from __future__ import annotations

import dataclasses

from starlette.requests import Request
from starlette.responses import Response

from cardshoe.console.answers import known_query, only, read_object, said, text_of
from cardshoe.console.gate import Gate
from cardshoe.console.ports import LabPort
from cardshoe.errors import InputError


class LabRoutes:
    """The routes of `lab`."""

    def __init__(self, lab: LabPort, gate: Gate) -> None:
        self._lab = lab
        self._gate = gate

    async def lab(self, request: Request) -> Response:
        """Answer what can be made to go wrong, and whether the robot deals."""
        known_query(request.query_params)
        return said({"robot": self._lab.robot, "mishaps": [dataclasses.asdict(each) for each in self._lab.mishaps]})

    async def mishap(self, request: Request) -> Response:
        """Make it go wrong."""
        return said({"done": await self._lab.mishap(await self._name(request))})

    async def cure(self, request: Request) -> Response:
        """Do what a person does about it."""
        return said({"done": await self._lab.cure(await self._name(request))})

    async def hands(self, request: Request) -> Response:
        """Move the cards that are due."""
        self._gate.acting(request)
        only(read_object(await request.body()))
        return said({"done": await self._lab.hands()})

    async def robot(self, request: Request) -> Response:
        """Have the robot deal, or leave it to the person."""
        self._gate.acting(request)
        body = read_object(await request.body())
        only(body, "on")
        if not isinstance(body.get("on"), bool):
            raise InputError("console-body", "on: this is true or false")
        self._lab.set_robot(on=body["on"])
        return said({"robot": self._lab.robot})

    async def _name(self, request: Request) -> str:
        self._gate.acting(request)
        body = read_object(await request.body())
        only(body, "name")
        return text_of(body, "name", most=100)
