"""Loading a system file: any name, and one sentence with the user's own line for whatever goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import alpha_build as ab
from alpha_build.system.load import load_system

SYSTEM = 'import alpha_build as ab\nsystem = ab.System(name="s", members=2, protocol=ab.Skip())\n'


def write(folder: Path, text: str, name: str = "file.py") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def failure(spec: str) -> ab.SystemFailure:
    with pytest.raises(ab.SystemFailure) as failed:
        load_system(spec)
    assert failed.value.__cause__ is None
    assert failed.value.where
    assert failed.value.hint
    return failed.value


@pytest.mark.parametrize("name", ["json.py", "a b/α (1).py", "with-dash.v2.py", "no_ending", "colon:x.py"])
def test_a_file_loads_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    spec = write(tmp_path, SYSTEM, name)
    assert load_system(spec).name == "s"
    assert load_system(f"{spec}:system").name == "s"


def test_another_file_of_the_same_name_is_another_system(tmp_path: Path) -> None:
    one = write(tmp_path / "a", SYSTEM)
    other = write(tmp_path / "b", SYSTEM.replace('"s"', '"t"'))
    assert [load_system(spec).name for spec in (one, other, one)] == ["s", "t", "s"]


def test_modules_beside_the_file_and_dataclasses_in_it(tmp_path: Path) -> None:
    write(tmp_path, "count = 2\n", "beside_the_file.py")
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    text += "from beside_the_file import count\n"
    text += "@dataclass\nclass Own:\n    x: int\n" + SYSTEM.replace("members=2", "members=count")
    assert load_system(write(tmp_path, text)).members == 2


def test_a_module_by_its_dotted_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "", "pack/__init__.py")
    write(tmp_path, SYSTEM, "pack/inner.py")
    monkeypatch.chdir(tmp_path)
    assert load_system("pack.inner:system").name == "s"
    assert failure("pack.inner:other").kind == "no-system"
    assert failure("pack.outer:system").kind == "missing"
    assert failure("nowhere.at.all:system").kind == "missing"


def test_what_is_missing(tmp_path: Path) -> None:
    assert failure(str(tmp_path / "nothing.py")).kind == "missing"
    assert failure(str(tmp_path / "nothing.py:system")).kind == "missing"
    assert failure("nothing").kind == "missing"
    assert failure(str(tmp_path)).kind == "missing"


def test_a_syntax_error_is_shown_at_its_line(tmp_path: Path) -> None:
    failed = failure(write(tmp_path, "x = 1\nsystem = (\n"))
    assert failed.kind == "syntax"
    assert failed.where == "file.py:2"
    assert "was never closed" in failed.message
    (tmp_path / "bytes.py").write_bytes(b"\0\xff")
    assert failure(str(tmp_path / "bytes.py")).kind == "syntax"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_module_here", "ModuleNotFoundError: No module named 'no_such_module_here'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("ab.Local(0)", "TypeError: "),
        ("[].pop()", "IndexError: pop from empty list"),
    ],
)
def test_an_exception_is_shown_at_his_line(tmp_path: Path, line: str, said: str) -> None:
    text = f"import alpha_build as ab\ndef inner():\n    {line}\n\ninner()\n"
    failed = failure(write(tmp_path, text))
    assert failed.kind == "raised"
    assert failed.where == "file.py:3"
    assert failed.message.startswith(said)
    assert "\n" not in str(failed)


def test_a_failure_of_ours_keeps_its_kind(tmp_path: Path) -> None:
    text = (
        "import alpha_build as ab\n\ngroup = ab.ParticipantGroup(universe=4, selection=ab.stride(0, 0, 3))\n"
    )
    with pytest.raises(ab.MembershipFailure) as failed:
        load_system(write(tmp_path, text))
    assert failed.value.kind == "step-zero"
    assert failed.value.where == "file.py:3 selection stride"


def test_no_system_two_systems_one_system_twice(tmp_path: Path) -> None:
    assert failure(write(tmp_path, "x = 1\n")).kind == "no-system"
    spec = write(tmp_path, SYSTEM + 'second = ab.System(name="t", members=1, protocol=ab.Skip())\n')
    failed = failure(spec)
    assert failed.kind == "two-systems"
    assert "second, system" in failed.message
    assert failed.hint == f"name one, as in {spec}:second"
    assert load_system(f"{spec}:second").name == "t"
    assert failure(f"{spec}:third").kind == "no-system"
    assert failure(f"{spec}:ab").kind == "no-system"
    assert load_system(write(tmp_path, SYSTEM + "alias = system\n")).name == "s"
