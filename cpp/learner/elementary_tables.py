"""Writes elementary_tables.h: values to twice double precision, from Python's decimal arithmetic alone."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 420  # 2/pi is wanted to 1,300 bits, the rest to 120


def arctangent_of_inverse(n: int) -> Decimal:
    total, power, k = Decimal(0), Decimal(1) / n, 1
    while abs(power) > Decimal(10) ** -415:
        total += power / k
        power, k = -power / (n * n), k + 2
    return total


PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))


def sine_cosine(x: Decimal) -> tuple[Decimal, Decimal]:
    terms, term, n = [Decimal(0), Decimal(0)], Decimal(1), 0
    while n < 60:
        terms[n % 2] += term if n % 4 < 2 else -term
        n += 1
        term = term * x / n
    return terms[1], terms[0]


def arctangent(x: Decimal) -> Decimal:
    """By halving the angle until the series is short."""
    halvings = 8
    for _ in range(halvings):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, k = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -120:
        total += power / k
        power, k = -power * x * x, k + 2
    return total * 2**halvings


def error_function(x: Decimal) -> Decimal:
    """To 10^-120: 1 - erf keeps 70 digits where it is as small as 10^-49."""
    total, term, n = Decimal(0), x, 0
    while abs(term) > Decimal(10) ** -120 or n < 5:
        total += term / (2 * n + 1)
        n += 1
        term = -term * x * x / n
    return 2 * total / PI.sqrt()


def error_slope(x: Decimal) -> Decimal:
    return 2 / PI.sqrt() * (-(x * x)).exp()


def pair(value: Decimal) -> str:
    """{high, low}: the nearest double and the nearest double of what is left."""
    high = float(Fraction(value))
    low = float(Fraction(value) - Fraction(high))
    return f"{{{high.hex()}, {low.hex()}}}"


def short(value: Decimal, bits: int) -> tuple[float, Decimal]:
    """The leading bits as a double, and the rest."""
    scale = Fraction(2) ** bits
    high = float(Fraction(round(Fraction(value) * scale), 1) / scale)
    return high, value - Decimal(high)


def array(name: str, kind: str, items: list[str]) -> list[str]:
    return [f"ALPHA_TABLE {kind} {name}[] = {{", *(f"    {item}," for item in items), "};", ""]


def split_constant(name: str, value: Decimal, bits: int) -> str:
    """A constant whose first part times a small integer is exact, and the rest."""
    high, rest = short(value, bits)
    return f"inline constexpr f64 {name}High = {high.hex()};\ninline constexpr Pair {name}Low = {pair(rest)};"


def two_over_pi_words() -> list[str]:
    """64 zero bits, then 2/pi, as 64-bit words: as many as the largest double needs."""
    words = 20
    bits = int(Fraction(2 / PI) * 2 ** (words * 64 - 64))
    return [f"0x{(bits >> (64 * (words - 1 - i))) & (2**64 - 1):016x}u" for i in range(words)]


def text() -> str:
    ln2 = Decimal(2).ln()
    errors = [error_function(Decimal(j) / 32) for j in range(337)]
    inverses = [short(Decimal(128) / i, 10)[0] for i in range(90, 183)]
    lines = [
        "// Written by elementary_tables.py: values to twice double precision.  Do not edit.",
        "#pragma once",
        "",
        '#include "learner/pair.h"',
        "",
        "namespace alpha {",
        "",
        split_constant("kLn2", ln2, 40),
        split_constant("kLn2Of64", ln2 / 64, 46),
        f"inline constexpr f64 k64OfLn2 = {float(64 / ln2).hex()};",
        f"inline constexpr Pair kHalfPi = {pair(PI / 2)};",
        "",
        "// 2^(j/64)",
        *array("kPowersOfTwo", "Pair", [pair((ln2 * j / 64).exp()) for j in range(64)]),
        "// c near 128/i to ten bits, and -log(c), for i from 90",
        *array("kInverses", "f64", [c.hex() for c in inverses]),
        *array("kLogarithms", "Pair", [pair(-Decimal(c).ln()) for c in inverses]),
        "// sine and cosine of j/64",
        *array("kSines", "Pair", [pair(sine_cosine(Decimal(j) / 64)[0]) for j in range(52)]),
        *array("kCosines", "Pair", [pair(sine_cosine(Decimal(j) / 64)[1]) for j in range(52)]),
        "// 64 zero bits, then 2/pi",
        *array("kTwoOverPi", "u64", two_over_pi_words()),
        "// atan(j/64)",
        *array("kArcTangents", "Pair", [pair(arctangent(Decimal(j) / 64)) for j in range(65)]),
        "// erf(j/32) up to 6, 1 - erf(j/32) and erf's derivative up to 10.5",
        *array("kErrors", "Pair", [pair(value) for value in errors[:193]]),
        *array("kErrorComplements", "Pair", [pair(1 - value) for value in errors]),
        *array("kErrorSlopes", "Pair", [pair(error_slope(Decimal(j) / 32)) for j in range(len(errors))]),
        "}  // namespace alpha",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import pathlib

    pathlib.Path(__file__).with_suffix(".h").write_text(text())
