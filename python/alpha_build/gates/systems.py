"""System files for the gates: small, so that they build fast; a variant changes one thing of the identity."""

from __future__ import annotations

from collections.abc import Mapping

# Each member's contribution comes from its own operation; `show` prints the bits of what it reads.
SUM = """\
import alpha_build as ab
members, elements, rounds = {members}, {elements}, {rounds}
fills = [
    ab.Operation(f"fill_{{role}}", writes=["x"],
        cpp="for (std::size_t i = 0; i < x.size(); ++i) "
            f"x[i] = 1.0f / static_cast<float>({{role}} + 3 * i + 7 * round + 1);")
    for role in range(members)]
show = ab.Operation("show", reads=["x"], preamble='#include "base/text.h"\\n#include "role/print.h"', cpp='''
    for (float value : x) {{
      unsigned bits;
      __builtin_memcpy(&bits, &value, 4);
      alpha::Text<80> text;
      text.add("show ", alpha::u64{{bits}});
      alpha::print_message(0, text.c_str());
    }}''')
system = ab.System(
    name="sum", members=members, topology=ab.{topology}, regions={{"x": ab.Region("f32", (elements,))}},
    operations=[*fills, *([show] if {shown} else [])], pairing={pairing}, frame_bytes=64,
    protocol=ab.Repeat(rounds, ab.Sequence(
        *(ab.Local(role, f"fill_{{role}}") for role in range(members)),
        ab.Combine("x"), ab.Deliver("x"), *([ab.Everyone("show")] if {shown} else []))),
    budgets=ab.Budgets(connect=2, accept=2, wait={wait_s}, frame=2),
)
"""
ELEMENTS = 33

FIT = """\
import jax.numpy as jnp, numpy as np, optax
import alpha_build as ab
rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype(np.float32)
y = (x @ np.arange(4, dtype=np.float32)).astype(np.float32)
{changes}
def loss(params, x, y):
    return {loss}
system = ab.System(
    name="fit", members={members}, topology=ab.Tree(fanout={fanout}),
    learner=ab.Learner(loss, state={{"w": np.zeros(4, np.float32)}}, optimizer=optax.sgd({rate}),
        samples=(x, y), rounds={rounds}),
    contract=ab.Contract(rounding="{rounding}"),
    pairing={pairing},
    budgets=ab.Budgets(connect=3, accept=3, wait=5, frame=5),
)
"""
FIT_DEFAULTS: Mapping[str, object] = {
    "loss": '(x @ params["w"] - y) ** 2',
    "members": 4,
    "fanout": 2,
    "rate": 0.05,
    "rounds": 3,
    "rounding": "fused",
    "changes": "",
    "pairing": "{}",
}

IMPATIENT = """\
import alpha_build as ab
system = ab.System(
    name="pair", members=2, topology=ab.Pair(),
    regions={"g": ab.Region("f32", (6,), initial=1.0)},
    protocol=ab.Transfer(0, 1, "g"),
    budgets=ab.Budgets(connect=1, accept=1, wait=2, frame=1),
)
"""


def summing(
    members: int,
    topology: str,
    *,
    rounds: int = 2,
    shown: bool = True,
    pairing: str = "{}",
    wait_s: float = 2,
) -> str:
    """Contributions of 33 numbers are averaged in the declared order and come back to every member."""
    return SUM.format(
        members=members,
        topology=topology,
        rounds=rounds,
        shown=shown,
        pairing=pairing,
        wait_s=wait_s,
        elements=ELEMENTS,
    )


def fit(**changed: object) -> str:
    """Four members in a tree, three rounds of a small learner; a learner needs JAX."""
    assert changed.keys() <= FIT_DEFAULTS.keys()
    return FIT.format(**{**FIT_DEFAULTS, **changed})


# What makes another run of the same shape: the executables may not be mixed.
OTHERS = {
    "learner": fit(loss='jnp.abs(x @ params["w"] - y)'),
    "learning rate": fit(rate=0.0625),
    "sample": fit(changes="x[3, 1] += 1"),
    "contract": fit(rounding="separate"),
    "membership (fan-out)": fit(fanout=3),
    "membership (epoch)": fit(
        members='ab.ParticipantGroup(universe=4, epoch=1, identity=b"", selection=ab.stride(0, 1, 4))'
    ),
}
