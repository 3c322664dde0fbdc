"""Element-wise loops over one shape become one loop with several results where nothing between forbids it."""

from __future__ import annotations

from dataclasses import replace

from .memory import Statement, Store
from .tree import Apply, Load, Tree, buffers, leaves, scalars
from .writer import Block, braced, loops

STORES_MAX = 8  # of one loop: more would not stay in registers


def store_statement(stores: tuple[Store, ...]) -> Statement:
    """One loop that writes all of them."""

    def body(_: Block, values: list[str], where: list[str]) -> list[str]:
        return [
            f"{store.name}[{place}] = {value};"
            for store, value, place in zip(stores, values, where, strict=True)
        ]

    trees = [store.tree for store in stores]
    lines = loops(stores[0].shape, trees, [store.strides for store in stores], body, apart=True)
    if len(lines) > 1 and not lines[0].startswith(("for ", "ALPHA_APART")):
        lines = braced(lines)  # its constants stay its own
    comments = dict.fromkeys(store.comment for store in stores if store.comment)
    reads = set().union(*(buffers(tree) | scalars(tree) for tree in trees))
    return Statement([*comments, *lines], reads, {store.name for store in stores}, stores, "each")


def fused(statements: list[Statement], kept: set[str]) -> list[Statement]:
    """The same work in fewer loops; `kept` are outputs: what else nobody reads any more isn't written."""
    result: list[Statement] = []
    for statement in statements:
        place = _place(result, statement, kept) if statement.stores else None
        if place is None:
            result.append(statement)
        else:
            result[place] = _joined(result[place], statement)
    read = kept.union(*(statement.reads for statement in result))
    return [_without_unread(statement, read) for statement in result]


def _place(before: list[Statement], statement: Statement, kept: set[str]) -> int | None:
    """Which earlier loop a loop can join: only outputs move past others, since scratch would live longer."""
    (store,) = statement.stores
    for place in range(len(before) - 1, -1, -1):
        other = before[place]
        if 0 < len(other.stores) < STORES_MAX and _meets(store, other.stores):
            return place
        if other.writes & statement.reads or store.name not in kept:
            return None
    return None


def _meets(store: Store, others: tuple[Store, ...]) -> bool:
    """Whether it goes over the same shape, reads something that they read or write, and of what they write
    the element at the same index only."""
    shared = set().union(*({other.name, *buffers(other.tree)} for other in others))
    if store.shape != others[0].shape or not shared & buffers(store.tree):
        return False
    written = {other.name: other for other in others}
    for leaf in leaves(store.tree):
        other = written.get(leaf.buffer) if isinstance(leaf, Load) else None
        if other is not None:
            pairs = zip(leaf.strides, other.strides, store.shape, strict=True)
            if not leaf.offset.is_zero or any(a != b and size != 1 for a, b, size in pairs):
                return False
    return True


def _joined(group: Statement, statement: Statement) -> Statement:
    (store,) = statement.stores
    written = {other.name: other.tree for other in group.stores}
    return store_statement((*group.stores, replace(store, tree=_read(store.tree, written, {}))))


def _read(tree: Tree, written: dict[str, Tree], done: dict[int, Tree]) -> Tree:
    """The tree with what the loop itself has written in place of loads; what was shared stays so."""
    if id(tree) not in done:
        if isinstance(tree, Apply):
            operands = tuple(_read(operand, written, done) for operand in tree.operands)
            done[id(tree)] = replace(tree, operands=operands)
        else:
            done[id(tree)] = written.get(tree.buffer, tree) if isinstance(tree, Load) else tree
    return done[id(tree)]


def _without_unread(statement: Statement, read: set[str]) -> Statement:
    needed = tuple(store for store in statement.stores if store.name in read)
    if len(needed) in (0, len(statement.stores)):
        return statement
    return store_statement(needed)
