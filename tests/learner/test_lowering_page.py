"""docs/lowering.md holds the table of primitives as the code has it.

`python tests/learner/test_lowering_page.py` writes the table anew.
"""

from __future__ import annotations

from pathlib import Path

from alpha_build.learner.lower import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lowering.md"
BEGIN, END = "<!-- primitives -->\n", "<!-- end of primitives -->\n"


def written() -> str:
    """The table in Markdown: one row a primitive, one column a target."""
    targets = sorted(table.OVERRIDES, reverse=True)
    lines = ["| primitive | rows in | " + " | ".join(targets) + " |", "|---" * (2 + len(targets)) + "|"]
    for primitive in table.primitives():
        module = table.ROWS[primitive].lower.__module__.rpartition(".")[2]
        marks = [
            "own row"
            if primitive in table.OVERRIDES[target]
            else "yes"
            if table.row(primitive, target)
            else ""
            for target in targets
        ]
        lines.append(f"| `{primitive}` | {module} | " + " | ".join(marks) + " |")
    return "\n".join(lines) + "\n"


def test_the_page_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == written()


if __name__ == "__main__":
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(head + BEGIN + written() + END + rest.partition(END)[2], encoding="utf-8")
