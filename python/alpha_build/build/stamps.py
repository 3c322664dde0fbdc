"""From a checked system and one role's rows to the stamp of its executable."""

from __future__ import annotations

from alpha_build.build.samples import denominators, learner_stamp
from alpha_build.build.stamp import BatchStamp, BudgetStamp, EdgeStamp, ShareStamp, Stamp
from alpha_build.projector.check import Checked
from alpha_build.projector.project.program import RoleRows, ShareRows
from alpha_build.system.contract import Budgets

LOOPBACK = 0x7F000001


def role_stamp(checked: Checked, rows: RoleRows) -> Stamp:
    """Loopback addresses and ports that the kernel picks: `bind` writes others."""
    learner, cuts = checked.learner, checked.cuts
    edges = tuple(EdgeStamp(edge.peer, LOOPBACK, LOOPBACK, 0, 0) for edge in rows.edges)
    budgets = budget_stamp(checked.system.budgets)
    full, short, evaluation = map(_share, rows.shares)
    if learner is None or cuts is None:
        batches = BatchStamp((float(rows.members),), shares=(full, short, evaluation))
        return Stamp(checked.identity.run, rows.role, edges, budgets, batches, host_roles=rows.members)
    batches = BatchStamp(
        denominators=denominators(learner),
        short_batch=cuts[1].samples != 0,
        block=cuts[0].block,
        evaluation_block=cuts[2].block,
        evaluation_denominator=float(cuts[2].samples),
        shares=(full, short, evaluation),
    )
    assert checked.identity.state is not None
    file = f"{checked.system.name}.role-{rows.role}.samples.safetensors"
    embedded = learner_stamp(learner, checked.identity.state, file, full.own, short.own, evaluation.own)
    return Stamp(checked.identity.run, rows.role, edges, budgets, batches, embedded, rows.members)


def budget_stamp(budgets: Budgets) -> BudgetStamp:
    """Seconds to nanoseconds; none becomes 0, and what is shorter than a nanosecond one."""
    values = (budgets.connect, budgets.accept, budgets.wait, budgets.frame)
    connect, accept, wait, frame = (max(1, round(value * 1e9)) for value in values)
    session = 0 if budgets.session is None else max(1, round(budgets.session * 1e9))
    return BudgetStamp(connect, accept, wait, frame, session)


def _share(rows: ShareRows) -> ShareStamp:
    return ShareStamp(rows.samples, rows.blocks, rows.block_count, rows.edges)
