"""Commands about the machine, the build cache and the proof of a build: `doctor`, `cache`, `verify`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from alpha_build.command import Folder, json_option, print_json, reporting


@click.command()
@json_option
@reporting
def doctor(json: bool) -> int:
    """Say which compilers, emulators and GPU tools are here, and what brings those that are missing.

    Exit status 1 when no executable can be made for this machine.
    """
    from alpha_build.doctor import examine, text

    findings = examine()
    ok = all(each.found or not each.needed for each in findings)
    if json:
        print_json({"ok": ok, "tools": [each.as_json() for each in findings]})
    else:
        print(text(findings))
    return 0 if ok else 1


@click.group(invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> None:
    """The build cache: what `roles` compiled before, so that no compiler starts for it again."""
    if context.invoked_subcommand is None:
        context.invoke(show)


@cache.command()
@json_option
@reporting
def show(json: bool) -> None:
    """Say where it is, and how large."""
    from alpha_build.build.cache import user_cache

    found = user_cache()
    sizes = found.sizes()
    if json:
        facts = {"entries": len(sizes), "bytes": sum(sizes), "bytes_max": found.size_bytes_max}
        print_json({"folder": str(found.folder), **facts})
    else:
        mebibytes, mebibytes_max = sum(sizes) / (1 << 20), found.size_bytes_max >> 20
        print(f"{found.folder}: {len(sizes)} entries, {mebibytes:.1f} of at most {mebibytes_max} MiB")


@cache.command()
@reporting
def clear() -> None:
    """Remove every entry; the next build compiles everything."""
    from alpha_build.build.cache import user_cache

    found = user_cache()
    count = len(found.sizes())
    found.clear()
    print(f"{found.folder}: {count} entries removed")


@click.command()
@click.argument("dist", type=Folder)
@click.argument("system", required=False, metavar="[SYSTEM]")
@click.option("--toolchain", type=click.Choice(["gnu", "zig"]), help="Insist on one.  [default: as built]")
@json_option
@reporting
def verify(dist: Path, system: str | None, toolchain: str | None, json: bool) -> int:
    """Make a build's executables again, and compare every byte.

    They are made from SYSTEM, or without it from the sources in DIST/src. Addresses that `bind` wrote may be
    other ones.
    """
    from alpha_build.progress import Stages
    from alpha_build.verify import verify as verified

    with Stages(shown=not json) as progress:
        done = verified(dist, system, toolchain, progress)
    if json:
        print_json(done.as_json())
    for line in done.notes:
        print(f"alpha-build: {line}", file=sys.stderr)
    for file, what in done.differences.items():
        print(f"alpha-build: {dist / file}: {what}", file=sys.stderr)
    if not json and not done.differences:
        print(f"{done.name}: {len(done.files)} files made again, every byte the same")
    return 1 if done.differences else 0
