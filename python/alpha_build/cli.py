"""The command line: thin commands over check, build, run and state, and how a failure reads."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from alpha_build.build_commands import cache, doctor, verify
from alpha_build.command import INTERRUPTED, Folder, json_option, print_json, reporting, system_argument
from alpha_build.gate_commands import bind, gate

if TYPE_CHECKING:
    from alpha_build.projector.check import Checked

ROLES_SHOWN = 16


def main() -> NoReturn:
    """Exit status 0, 1 (the thing failed, the reason last on stderr), 2 (usage) or 130 (interrupted)."""
    try:
        status = commands.main(prog_name="alpha-build", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("alpha-build: interrupted", file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say
        sys.stderr.close()
        status = 1
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second one must not change the status
    sys.exit(status)


def _print_version(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        from alpha_build.version import version

        print(f"alpha-build {version()}")
        context.exit()


def _print_cmake_folder(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        from alpha_build.paths import cmake

        print(cmake())
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
              help="Show the version and exit.")  # fmt: skip
@click.option("--cmake-dir", is_flag=True, is_eager=True, expose_value=False, callback=_print_cmake_folder,
              help="Show the CMake package's folder (AlphaBuild_DIR) and exit.")  # fmt: skip
def commands() -> None:
    """Compiles one learning system, or one protocol, into a standalone executable a role.

    SYSTEM is file.py[:name] or package.module:name; it may be left out where pyproject.toml holds
    [tool.alpha-build] system = "...".
    """


@commands.command()
@system_argument
@json_option
@reporting
def check(system: str | None, json: bool) -> None:
    """Check a system; print every failure with its place and remedy. Needs no compiler."""
    from alpha_build.build.checked import checked_system
    from alpha_build.source import named_system

    done = checked_system(named_system(system))
    _say_notices(done)
    if json:
        run = done.identity.run.hex()
        facts = {"ok": True, "name": done.system.name, "members": len(done.group), "run": run}
        print_json({**facts, "notices": _notices(done)})
    else:
        members = len(done.group)
        print(f"{done.system.name}: nothing wrong; {members} member{'s' if members > 1 else ''}")


@commands.command()
@system_argument
@click.option("--out", type=Folder, default=Path("dist"), show_default=True, help="Folder of the build.")
@click.option("--role", "only", type=int, multiple=True, metavar="R", help="Only this role; may be repeated.")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Compilers at once.  [default: processors]"
)
@click.option(
    "--toolchain", type=click.Choice(["gnu", "zig"]), help="Insist on one.  [default: GNU, else Zig]"
)
@click.option(
    "--program",
    type=click.Path(path_type=Path),
    help="A saved learner.cbor in place of tracing; without SYSTEM also in its place.",
)
@click.option(
    "--depfile", type=click.Path(path_type=Path), help="Where to list, for Make or Ninja, what was read."
)
@click.option(
    "--source-only", is_flag=True, help="Write C++ and CMake files that need no alpha-build, nor Python."
)
@json_option
@reporting
def roles(
    system: str | None,
    out: Path,
    only: tuple[int, ...],
    jobs: int | None,
    toolchain: str | None,
    program: Path | None,
    depfile: Path | None,
    source_only: bool,
    json: bool,
) -> None:
    """Make the executables: check, project, emit, compile, stamp."""
    if source_only:
        if jobs or toolchain or depfile:
            raise click.UsageError(
                "--source-only starts no compiler: no --jobs, --toolchain or --depfile with it"
            )
        _write_source_only(system, out, only, program, json=json)
        return
    from alpha_build.build.manifest import compact
    from alpha_build.build.record import asked, unchanged

    begin = time.monotonic()
    call = asked(system, only, toolchain, program)
    # A build system that asks for a depfile has seen that something changed.
    found = None if depfile else unchanged(out, call)
    options = (system, out, only, jobs, toolchain, program, depfile)
    facts, notices = found or _build(call, *options, shown=not json)
    for line in notices:
        print(f"alpha-build: {line}", file=sys.stderr)
    if json:
        print(compact(facts).decode())
        return
    rows = facts["roles"]
    for row in rows[:ROLES_SHOWN]:
        print(f"role {row['role']}: {out / row['file']}, {row['bytes']} bytes")
    if len(rows) > ROLES_SHOWN:
        print(f"and {len(rows) - ROLES_SHOWN} more")
    how = "nothing has changed" if found else f"made in {time.monotonic() - begin:.1f} s"
    print(f"{facts['name']}: {len(rows)} executable{'s' if len(rows) > 1 else ''} in {out}, {how}")


def _build(
    call: dict[str, Any],
    system: str | None,
    out: Path,
    only: tuple[int, ...],
    jobs: int | None,
    toolchain: str | None,
    program: Path | None,
    depfile: Path | None,
    *,
    shown: bool,
) -> tuple[dict[str, Any], Sequence[str]]:
    """The manifest of the roles that are made, and lines for the user."""
    from alpha_build.build.build import build
    from alpha_build.build.dependencies import write_depfile
    from alpha_build.build.manifest import FILE
    from alpha_build.build.record import Recorder
    from alpha_build.progress import Stages
    from alpha_build.source import system_or_saved

    recorder = Recorder(call)
    with Stages(shown=shown) as progress:
        with recorder.watch:
            spec = system_or_saved(system, program)
        manifest = build(
            spec, out, roles=only or None, jobs=jobs, program=program, toolchain=toolchain,
            recorder=recorder, progress=progress,
        )  # fmt: skip
    if depfile:
        write_depfile(depfile, out / FILE, recorder.files())
    return manifest.as_json(), manifest.notices


def _write_source_only(
    system: str | None, out: Path, only: tuple[int, ...], program: Path | None, *, json: bool
) -> None:
    from alpha_build.build.source_only import write_source_only
    from alpha_build.progress import Stages
    from alpha_build.source import system_or_saved

    with Stages(shown=not json) as progress:
        made = write_source_only(
            system_or_saved(system, program), out, roles=only or None, program=program, progress=progress
        )
    for line in made.notices:
        print(f"alpha-build: {line}", file=sys.stderr)
    if json:
        print_json({"ok": True, "folder": str(out), "classes": [each.name for each in made.classes]})
    else:
        print(f"sources in {out}: cmake -S {out} -B {out / 'build'} && cmake --build {out / 'build'}")


@commands.command()
@system_argument
@click.option("--role", type=int, required=True, metavar="R", help="Whose schedule.")
@reporting
def project(system: str | None, role: int) -> None:
    """Print one role's schedule, one line a step."""
    from alpha_build.build.checked import checked_system
    from alpha_build.projector.project import project, schedule_text
    from alpha_build.source import named_system

    done = checked_system(named_system(system))
    _say_notices(done)
    program, rows = project(done, role)
    print(schedule_text(program, rows))


@commands.command()
@system_argument
@click.option(
    "--kind", type=click.Choice(["topology", "sequence"]), default="topology", show_default=True,
    help="Who is joined to whom, or what moves when.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE",
              help="A .svg, .pdf, .png, or .dot for graphviz's text.  [default: NAME.KIND.svg]")  # fmt: skip
@reporting
def draw(system: str | None, kind: str, out: Path | None) -> None:
    """Draw a system: each role of a small one, counts of a large one."""
    from alpha_build.build.checked import checked_system
    from alpha_build.draw import PICTURES, write
    from alpha_build.source import named_system

    done = checked_system(named_system(system))
    path = out or Path(f"{done.system.name}.{kind}.svg")
    write(PICTURES[kind](done), path)
    print(path)


def _say_notices(checked: Checked) -> None:
    """Lines that a user should read although nothing is wrong: narrowed values, idle members."""
    for line in _notices(checked):
        print(f"alpha-build: {line}", file=sys.stderr)


def _notices(checked: Checked) -> list[str]:
    return [*(checked.learner.notices if checked.learner else ()), *checked.warnings]


@commands.command()
@click.argument("dist", type=Folder)
@click.option("--state", type=Folder, help="Where state goes.  [default: DIST/state]")
@click.option("--flight", is_flag=True, help="After a failure, show every role's last transfers.")
@json_option
@reporting
def run(dist: Path, state: Path | None, flight: bool, json: bool) -> int:
    """Run all roles of a build on this machine, and stop all of them when one fails."""
    from alpha_build.run import Interrupts, run_build
    from alpha_build.run.flight import merged
    from alpha_build.run.report import print_outcome

    outcome = run_build(dist, state, json=json, interrupts=Interrupts(final=True), flight=flight)
    if json:
        record = {"flight": [step.as_json() for step in merged(outcome.ends)]} if flight else {}
        print_json({**outcome.as_json(), **record})
    print_outcome(outcome, dist, quiet=json)
    if outcome.interrupted:
        return INTERRUPTED
    return 0 if outcome.ok else 1


@commands.command()
@click.argument("path", type=click.Path(path_type=Path))
@json_option
@reporting
def inspect(path: Path, json: bool) -> None:
    """Say what an executable or a build is, from the file alone."""
    from alpha_build.inspect import inspect as facts_of
    from alpha_build.inspect import text

    facts = facts_of(path)
    if json:
        print_json(facts)
    else:
        print(text(facts))


@commands.command()
@click.option("--rounding", type=click.Choice(["fused", "separate"]), default="fused", show_default=True)
@click.option("--order", type=click.Choice(["tree", "canonical"]), default="tree", show_default=True)
@click.option("--members", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N")
@click.option("--out", type=Folder, default=Path("dist/demo"), show_default=True, help="Folder of the build.")
@json_option
@reporting
def demo(rounding: Any, order: Any, members: int, out: Path, json: bool) -> int:
    """Train a classifier of handwritten digits, and compare its bytes with one process's."""
    from alpha_build.demo import demo as run_demo

    done = run_demo(out, members, order, rounding, quiet=json)
    if json:
        print_json(done.as_json())
    if done.outcome.interrupted:
        return INTERRUPTED
    if done.outcome.ok and not done.identical:
        print("alpha-build: the owners' states and the reference differ", file=sys.stderr)
    return 0 if done.outcome.ok and done.identical else 1


for each in (cache, doctor, verify, gate, bind):
    commands.add_command(each)
