"""The digests that name a state: of a tensor's bytes, as a frame's payload, and of all tensors together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from alpha_build.system.digest import canonical
from alpha_build.system.limits import LEAF_BYTES


def payload_digest(data: bytes | memoryview) -> bytes:
    """32 bytes: SHA-256 of the SHA-256 digests of the data's leaves of 4 KiB, as in docs/frame.md."""
    view = memoryview(data)
    assert view.contiguous and view.itemsize == 1
    whole = hashlib.sha256()
    for begin in range(0, len(view), LEAF_BYTES):
        whole.update(hashlib.sha256(view[begin : begin + LEAF_BYTES]).digest())
    return whole.digest()


def state_hash(tensors: Iterable[tuple[str, str, tuple[int, ...], bytes]]) -> str:
    """Hexadecimal state hash of (name, dtype, shape, payload digest) rows, in any order.

    A dtype is spelled as in safetensors: "F32".  The hash is over logical tensors in name order, so it is
    the same however a state is cut into shards.
    """
    rows = sorted(tensors)
    return hashlib.sha256(
        canonical([[name, dtype, list(shape), digest] for name, dtype, shape, digest in rows])
    ).hexdigest()
