"""Names that become names in generated C++ and in file names."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")

# Keywords and alternative tokens of C++20, and what stands beside an operation's regions in generated code.
_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq round std alpha
"""
_RESERVED = frozenset(_WORDS.split())


def is_identifier(name: object) -> bool:
    """Whether a region or operation may be called so."""
    return (
        isinstance(name, str)
        and _IDENTIFIER.match(name) is not None
        and "__" not in name
        and name not in _RESERVED
    )


def is_file_name(name: object) -> bool:
    """Whether a system may be called so: it begins every artifact's file name."""
    return isinstance(name, str) and _FILE_NAME.match(name) is not None and len(name) <= 100


def camel(name: str) -> str:
    """ "my_region" as "MyRegion"."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
