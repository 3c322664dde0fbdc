"""Regions and buffers of one role, listed as its schedule first names them."""

from __future__ import annotations

from typing import cast

from ..check import Checked
from ..check.node import Wire
from .program import Buffer, ElementName, WireRegion


class Tables:
    """Gives each wire and each buffer its index in the role's tables."""

    def __init__(self, checked: Checked) -> None:
        self._regions = checked.regions
        self._wires: dict[int, int] = {}
        self._buffers: dict[str, int] = {}
        self.regions: list[WireRegion] = []
        self.buffers: list[Buffer] = []

    def region(self, wire: Wire) -> int:
        """Index of a communicating form's region."""
        if wire.number not in self._wires:
            self._wires[wire.number] = len(self.regions)
            region = self._regions[wire.region]
            element = cast(ElementName, region.element)
            buffer = self.buffer(wire.region)
            self.regions.append(WireRegion(wire.name, wire.number, element, region.count, buffer, wire.uses))
        return self._wires[wire.number]

    def buffer(self, name: str) -> int:
        """Index of a region's local memory."""
        if name not in self._buffers:
            self._buffers[name] = len(self.buffers)
            region = self._regions[name]
            initial = 0 if region.initial is None else region.initial
            self.buffers.append(Buffer(name, cast(ElementName, region.element), region.count, initial))
        return self._buffers[name]
