"""Systems of one's own whose roles print their results, so that a test can read them from the logs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from alpha_build.gates.sums import contribution, in_order

# Each member's contribution comes from its own operation, the last element a subnormal number; `show` prints
# the bits of what it reads.
FORMS = """\
import alpha_build as ab
roles, elements = {roles}, {elements}
fills = [
    ab.Operation(f"fill_{{role}}", writes=["x"],
        cpp="for (std::size_t i = 0; i < x.size(); ++i) "
            f"x[i] = 1.0f / static_cast<float>({{role}} + 3 * i + 7 * round + 1);"
            f"if (x.size() != 0) x[x.size() - 1] = 0x1p-130f * static_cast<float>({{role}} + round + 1);")
    for role in roles]
PRINT = '#include "base/text.h"\\n#include "role/print.h"'
def show(name, region, parts=()):
    cpp = f'''
      for (float value : {{region}}) {{{{
        unsigned bits;
        __builtin_memcpy(&bits, &value, 4);
        alpha::Text<80> text;
        text.add("{{name}} ", alpha::u64{{{{bits}}}});
        alpha::print_message(0, text.c_str());
      }}}}'''
    return ab.Operation(name, reads=[region], parts=parts, cpp=cpp, preamble=PRINT)
fill = ab.Sequence(*(ab.Local(role, f"fill_{{role}}") for role in roles))
system = ab.System(
    name="forms", members={members}, topology=ab.{topology}, contract=ab.Contract({contract}),
    regions={{"x": ab.Region("f32", (elements,)), "go": ab.Word(initial=1)}},
    operations=[*fills, *({shows})], pairing={pairing}, frame_bytes=64,
    protocol=ab.Repeat(2, ab.Sequence(fill, {protocol})),
)
"""


def forms(
    *,
    roles: list[int],
    protocol: str,
    topology: str,
    shows: str,
    elements: int = 33,
    contract: str = "",
    members: str | None = None,
    pairing: dict[int, str] | None = None,
) -> str:
    pairs = ", ".join(f'{role}: ab.Target("{target}")' for role, target in (pairing or {}).items())
    return FORMS.format(
        roles=roles,
        protocol=protocol,
        topology=topology,
        shows=shows,
        elements=elements,
        contract=contract,
        members=members or len(roles),
        pairing=f"{{{pairs}}}",
    )


def shown(dist: Path, role: int, name: str, passes: int = 2) -> np.ndarray:
    """What an operation printed at a role: one row a pass."""
    log = (dist / "logs" / f"role-{role}.log").read_text()
    bits = [int(found) for found in re.findall(rf"\b{name} (\d+)", log)]
    return np.array(bits, np.uint32).view(np.float32).reshape(passes, -1)


def mean(roles: list[int], round_: int, fanout: int, elements: int = 33) -> np.ndarray:
    values = [contribution(role, round_, elements) for role in roles]
    for role, value in zip(roles, values, strict=True):
        value[-1] = np.float32(2**-130) * np.float32(role + round_ + 1)
    result: np.ndarray = in_order(values, fanout) / np.float32(len(roles))
    return result
