"""A fixed group of participants: a universe of roles, an epoch, identity bytes and a selection of members."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .digest import digest
from .errors import MembershipFailure
from .limits import INDEX_NODE_COUNT_MAX, ROLE_MAX
from .place import Place, user_place
from .selection import Node, Selection, Stride, encode
from .selection_check import index


@dataclass(frozen=True)
class ParticipantGroup:
    """Members in ascending order of role.  Every look-up walks one path of the selection, never a list.

    `universe` is the number of roles that could be members; `selection` (default: all of them) says which
    are.  Raises `MembershipFailure` when the group cannot be.
    """

    universe: int
    epoch: int = 0
    identity: bytes = b""
    selection: Selection | None = None
    node_count_max: int = field(default=INDEX_NODE_COUNT_MAX, kw_only=True, compare=False)
    place: Place = field(default_factory=user_place, compare=False, repr=False, kw_only=True)
    _root: Node = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        try:
            self._check_numbers()
            if self.selection is None:
                object.__setattr__(self, "selection", Stride(0, 1, self.universe))
            assert self.selection is not None
            object.__setattr__(self, "_root", index(self.selection, self.universe, self.node_count_max))
        except MembershipFailure as failure:
            failure.where = f"{self.place} {failure.where or 'participant group'}"
            raise

    def _check_numbers(self) -> None:
        for name, least in (("universe", 1), ("epoch", 0)):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= ROLE_MAX:
                raise MembershipFailure(
                    f"{name}={value!r}", kind=name, hint=f"give a whole number from {least} to 2^63-1"
                )
        if not isinstance(self.identity, bytes):
            raise MembershipFailure(
                f"identity={self.identity!r} is not bytes", kind="identity", hint='write it as b"..."'
            )

    def __len__(self) -> int:
        return self._root.count

    @property
    def first(self) -> int:
        """The lowest member's role, the root of every topology."""
        return self._root.first

    @property
    def last(self) -> int:
        """The highest member's role."""
        return self._root.last

    def member(self, position: int) -> int:
        """Role at a position, 0 <= position < len; raises `IndexError`."""
        if not 0 <= position < self._root.count:
            raise IndexError(f"position {position} of {self._root.count} members")
        return self._root.member(position)

    def rank(self, role: int) -> int:
        """Position of a member's role; raises `MembershipFailure` when it is none."""
        position = self._root.rank(role)
        if position is None:
            raise MembershipFailure(
                f"role {role} is not a member",
                kind="not-a-member",
                where=str(self.place),
                hint=f"{self._root.count} members lie between roles {self.first} and {self.last}",
            )
        return position

    def __contains__(self, role: object) -> bool:
        return isinstance(role, int) and not isinstance(role, bool) and self._root.rank(role) is not None

    contains = __contains__

    @property
    def digest(self) -> bytes:
        """Membership digest of 32 bytes, from the selection as written."""
        assert self.selection is not None
        return digest(
            "membership",
            {
                "universe": self.universe,
                "epoch": self.epoch,
                "identity": self.identity,
                "selection": encode(self.selection),
            },
        )
