"""Canonical CBOR (RFC 8949 section 4.2.1) and the digests, each with its domain, that things are named by."""

from __future__ import annotations

import hashlib
from typing import Any

import cbor2


def canonical(value: Any) -> bytes:
    """Core deterministic encoding.  Map keys are text here, so length-first order is the bytewise order."""
    return cbor2.dumps(value, canonical=True)


def digest(domain: str, value: Any) -> bytes:
    """32 bytes: SHA-256("alpha-build DOMAIN 1\\0" || canonical CBOR of the value)."""
    return hashlib.sha256(f"alpha-build {domain} 1\0".encode("ascii") + canonical(value)).digest()
