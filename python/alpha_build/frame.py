"""Frames in this process: seal and open what travels on an edge, by the code that the executables run.

    header = frame.Header(run=run, sender=0, receiver=1, region=5, version=1, extent=x.nbytes, element="f32")
    sealed = frame.seal(header, x)
    payload = frame.open(header, sealed)

`docs/frame.md` has the layout byte by byte.
"""

from __future__ import annotations

from alpha_build import _native
from alpha_build._native import Header
from alpha_build.buffers import host_bytes
from alpha_build.system.limits import LEAF_BYTES

__all__ = [
    "HEADER_BYTES",
    "LEAF_BYTES",
    "TRAILER_BYTES",
    "Header",
    "open",
    "payload_digest",
    "seal",
    "trailer",
]

HEADER_BYTES = 128
TRAILER_BYTES = 32


def seal(header: Header, payload: object) -> bytes:
    """Header, payload and trailer of one frame.

    Args:
        header: of the frame; its `extent` is the payload's size in bytes.
        payload: a contiguous array or any buffer; a CUDA array is copied to the host.

    Raises:
        Refused: kind "bytes", when the header's extent is not the payload's size.
    """
    return _native.seal(header, host_bytes(payload))


def open(expected: Header, sealed: object) -> bytes:  # noqa: A001 - frame.open is what it is called
    """The payload of a frame, after every byte of it was compared with what is expected.

    Raises:
        Refused: kind "frame", "edge", "version", "bytes" or "truncated"; the first difference decides.
    """
    return _native.open(expected, host_bytes(sealed))


def payload_digest(payload: object) -> bytes:
    """SHA-256 (32 bytes) over the SHA-256 digests of the payload's 4,096-byte leaves."""
    return _native.payload_digest(host_bytes(payload))


def trailer(header: Header, payload_digest: bytes) -> bytes:
    """SHA-256 (32 bytes) of the header followed by the payload's digest: a frame's last field."""
    return _native.trailer(header, payload_digest)
