"""Commands about the machine and the build cache: `doctor` and `cache`."""

from __future__ import annotations

import click

from alpha_build.command import json_option, print_json, reporting


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
