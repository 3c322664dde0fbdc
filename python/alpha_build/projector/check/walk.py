"""The walk over a protocol: each form is checked where it stands, numbered, and made a node."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace
from typing import Any

from ...system.forms import (
    Choice,
    Combine,
    Deliver,
    Everyone,
    Form,
    Local,
    Repeat,
    Sequence,
    Skip,
    Transfer,
)
from ...system.limits import NESTING_COUNT_MAX, REPEAT_COUNT_MAX, USE_COUNT_MAX
from .form_rules import (
    check_choice,
    check_combine,
    check_deliver,
    check_everyone,
    check_local,
    check_transfer,
)
from .learned import Every, Publish, Start, Until
from .names import camel
from .node import Node, Wire, form_name
from .numbers import whole
from .participants import participants
from .scope import Scope


@dataclass(frozen=True)
class Context:
    """Where the walk stands: the path, how often the form runs at most, how deep it is nested."""

    path: str = "protocol"
    uses: int = 1
    depth: int = 0
    passes: int = 1  # of the innermost repeat
    outer: str = ""  # file and line of the form around

    def below(self, form: Form) -> Context:
        """One form deeper."""
        path, outer = f"{self.path} > {form_name(form)}", f"{form.place} "
        return replace(self, path=path, depth=self.depth + 1, outer=outer)


class Walk:
    """Numbers communicating forms from 0 in preorder, `then` before `otherwise`."""

    def __init__(self, scope: Scope, names: SequenceOf[str] | None = None) -> None:
        self._scope = scope
        self._names = names
        self._taken: set[str] = set()
        self._number = 0

    def nodes(self, form: Any, place: Context) -> tuple[Node, ...]:
        """A form's nodes: none for what does nothing, several for a sequence."""
        if not self._may_stand(form, place):
            return ()
        here = place.below(form)
        match form:
            case Skip():
                return ()
            case Sequence(parts):
                return tuple(
                    node
                    for index, part in enumerate(parts)
                    for node in self.nodes(part, replace(here, path=f"{here.path}[{index}]"))
                )
            case Repeat(count, body):
                return self._repeat(form, count, body, here)
            case Every(period, body):
                times = here.uses // here.passes * -(-here.passes // period)
                inside = replace(here, uses=times)
                return (Node(form, here.path, parts=self.nodes(body, inside)),)
            case Choice():
                return self._choice(form, here)
            case Publish(up, down):
                wires = (self._wire(up, here.uses), self._wire(down, here.uses))
                return (Node(form, here.path, wires),)
            case _:
                return self._plain(form, here)

    def _may_stand(self, form: Any, place: Context) -> bool:
        if not isinstance(form, Form):
            hint = "write Sequence(a, b, ...) for several" if isinstance(form, list | tuple) else "use a form"
            where = f"{place.outer}({place.path})"
            self._scope.protocol_failure("not-a-form", where, f"{form!r} is not a form", hint)
            return False
        if place.depth > NESTING_COUNT_MAX:
            message = f"forms are nested more than {NESTING_COUNT_MAX} deep"
            self._scope.protocol_failure("nesting", f"{form.place}", message, "flatten the sequences")
            return False
        return True

    def _plain(self, form: Form, place: Context) -> tuple[Node, ...]:
        """A form without parts; None from its rule means that it cannot stand."""
        where = f"{form.place} ({place.path})"
        region: str | None = None
        kept: Form | None = form
        match form:
            case Local():
                kept = check_local(form, where, self._scope)
            case Everyone():
                kept = check_everyone(form, where, self._scope)
            case Transfer():
                kept, region = check_transfer(form, where, self._scope), form.region
            case Combine():
                kept, region = check_combine(form, where, self._scope), form.region
            case Deliver():
                kept, region = check_deliver(form, where, self._scope), form.region
            case Start() | Until():
                region = form.region
            case _:
                self._scope.protocol_failure("not-a-form", where, f"{form!r} is not a form", "use a form")
                return ()
        wires = () if region is None else (self._wire(region, place.uses),)
        return () if kept is None else (Node(kept, place.path, wires),)

    def _repeat(self, form: Repeat, count: Any, body: Form, place: Context) -> tuple[Node, ...]:
        where = f"{form.place} ({place.path})"
        times = whole(count)
        if times is None or times < 0:
            kind = "repeat-count" if times is None else "repeat-negative"
            self._scope.protocol_failure(
                kind, where, f"the count is {count!r}", "give a whole number, 0 or more"
            )
            times = 0
        elif times > REPEAT_COUNT_MAX or times * place.uses > USE_COUNT_MAX:
            bound = REPEAT_COUNT_MAX if times > REPEAT_COUNT_MAX else USE_COUNT_MAX
            message = (
                f"{times} times, {times * place.uses} with the repeats around it, is over the bound {bound}"
            )
            self._scope.protocol_failure("repeat-over-bound", where, message, "repeat fewer times")
            times = 0
        inside = replace(place, uses=place.uses * times, passes=max(times, 1))
        return (Node(replace(form, count=times), place.path, parts=self.nodes(body, inside)),)

    def _choice(self, form: Choice, place: Context) -> tuple[Node, ...]:
        where = f"{form.place} ({place.path})"
        checked = check_choice(form, where, self._scope)
        wire = self._wire(form.selector, place.uses)
        then = self.nodes(form.then, replace(place, path=f"{place.path} > then"))
        otherwise = self.nodes(form.otherwise, replace(place, path=f"{place.path} > otherwise"))
        if checked is None:
            return (*then, *otherwise)
        if checked.routes is not None:
            informed = frozenset((checked.authority, *(receiver for _, receiver in checked.routes)))
            outside = participants((*then, *otherwise)).outside(informed, self._scope.group)
            if outside is not None:
                message = f"role {outside} takes part in an arm and never learns the choice"
                self._scope.protocol_failure("choice-uninformed", where, message, f"add a route to {outside}")
        return (Node(checked, place.path, (wire,), then, otherwise),)

    def _wire(self, region: Any, uses: int) -> Wire:
        number = self._number
        self._number += 1
        return Wire(number, str(region), self._name(str(region), number), uses)

    def _name(self, region: str, number: int) -> str:
        if self._names is not None:
            return self._names[number]
        name = camel(region)
        while name in self._taken:
            name = f"{name}{number}"
        self._taken.add(name)
        return name
