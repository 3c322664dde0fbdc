"""Commands that try and place what was built: gate, bind."""

from __future__ import annotations

from pathlib import Path

import click

from alpha_build.command import Folder, json_option, print_json, reporting


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--dist", type=Folder, help="Try the gates that apply on this build instead.")
@json_option
@reporting
def gate(names: tuple[str, ...], dist: Path | None, json: bool) -> int:
    """Try what must always hold, with real processes on this machine; all gates, or those that are named."""
    from alpha_build.gates import run_gates

    def say(line: str) -> None:
        if not json:
            print(f"  {line}", flush=True)

    results = []
    for result in run_gates(names, dist, say):
        results.append(result)
        if not json:
            why = f": {result.reason}" if result.reason else ""
            print(f"{result.name}: {result.verdict} in {result.seconds:.1f} s{why}", flush=True)
    ok = all(result.verdict != "failed" for result in results)
    if json:
        print_json({"ok": ok, "gates": [result.as_json() for result in results]})
    return 0 if ok else 1


@click.command()
@click.argument("dist", type=Folder)
@click.option(
    "--addresses",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="JSON: where each role listens, and what its peers dial.  [default: as before]",
)
@click.option("--shared", is_flag=True,
              help="Memory that both map for edges within an address.  [default: TCP]")  # fmt: skip
@json_option
@reporting
def bind(dist: Path, addresses: Path | None, shared: bool, json: bool) -> None:
    """Stamp addresses and ports into a build: it moves to other machines, and no compiler is needed."""
    from alpha_build.build.bind import bind as stamp

    manifest = stamp(dist, addresses, shared=shared)
    if json:
        print_json(manifest)
        return
    for entry in manifest["roles"]:
        for edge in entry["edges"]:
            verb = "listens for" if edge["side"] == "lower" else "dials"
            port = edge["port"] or "a port of the kernel's choice"
            way = ", through shared memory" if edge.get("shared") else ""
            print(f"role {entry['role']} {verb} role {edge['peer']} at {edge['address']}:{port}{way}")
