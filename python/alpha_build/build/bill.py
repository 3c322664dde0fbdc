"""The bill of materials beside the manifest, CycloneDX 1.6: executables, what they come from, what made them.

It holds no time and no random number, so that building twice gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from alpha_build.build import output
from alpha_build.build.manifest import files, learner_source
from alpha_build.build.toolchains import Toolchain
from alpha_build.version import version

LICENSE = "Apache-2.0 WITH LLVM-exception"
_TOOLCHAIN = "alpha-build:toolchain"
_RUNTIME = "alpha-build runtime"  # also its reference: no system or file is called so


def write(
    folder: Path, manifest: Mapping[str, Any], texts: Mapping[str, str], toolchains: Iterable[Toolchain]
) -> None:
    """Write the bill of a build whose manifest and generated sources these are."""
    sources = {
        name: sha256(text.encode()).hexdigest() for name, text in texts.items() if name.endswith(".cpp")
    }
    _save(folder, manifest, _bill(manifest, sources, toolchains))


def rewrite_digests(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Put the digests of `manifest` in the bill of a build whose executables were stamped anew."""
    found = read(folder, manifest)
    digests = {file["file"]: file["sha256"] for file in files(manifest["roles"])}
    for component in found.get("components", ()):
        if component["name"] in digests:
            component["hashes"] = _hashes(digests[component["name"]])
    if found:
        _save(folder, manifest, found)


def read(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The bill of a build; empty where there is none that can be used."""
    try:
        found: dict[str, Any] = json.loads((folder / file_name(manifest)).read_bytes())
        names = [each["name"] for each in found["components"]]
        return found if found["bomFormat"] == "CycloneDX" and names and compilers(found) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def compilers(bill: Mapping[str, Any]) -> dict[str, str]:
    """What each toolchain of a bill said of itself, by the toolchain's name."""
    tools = bill.get("metadata", {}).get("tools", {}).get("components", ())
    return {
        each["value"]: f"{tool['name']} {tool['version']}"
        for tool in tools
        for each in tool.get("properties", ())
        if each["name"] == _TOOLCHAIN
    }


def file_name(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['name']}.cdx.json"


def _bill(
    manifest: Mapping[str, Any], sources: Mapping[str, str], toolchains: Iterable[Toolchain]
) -> dict[str, Any]:
    release = {"type": "application", "name": "alpha-build", "version": version()}
    tools = [release, *map(_tool, sorted(toolchains, key=lambda each: each.name))]
    runtime = {
        "type": "library", "bom-ref": _RUNTIME, "name": _RUNTIME, "version": version(),
        "licenses": [{"expression": LICENSE}],
    }  # fmt: skip
    made = files(manifest["roles"])
    texts = [_file(f"src/{name}", digest) for name, digest in sorted(sources.items())]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "tools": {"components": tools},
            "component": {
                "type": "application", "bom-ref": manifest["name"], "name": manifest["name"],
                "version": manifest["run"],
            },
        },
        "components": [runtime, *texts, *(_file(each["file"], each["sha256"]) for each in made)],
        "dependencies": [
            {"ref": manifest["name"], "dependsOn": [entry["file"] for entry in manifest["roles"]]},
            *({"ref": each["file"], "dependsOn": _made_from(each, sources)} for each in manifest["roles"]),
        ],
    }  # fmt: skip


def _made_from(entry: Mapping[str, Any], sources: Mapping[str, str]) -> list[str]:
    names = [f"{entry['class']}.cpp", learner_source(entry["target"])]
    made_from = [_RUNTIME, *(f"src/{name}" for name in names if name in sources)]
    return made_from if entry["samples"] is None else [*made_from, str(entry["samples"]["file"])]


def _tool(toolchain: Toolchain) -> dict[str, Any]:
    name, _, its_version = toolchain.identity.partition(" ")
    properties = [{"name": _TOOLCHAIN, "value": toolchain.name}]
    return {"type": "application", "name": name, "version": its_version, "properties": properties}


def _file(name: str, digest: str) -> dict[str, Any]:
    return {"type": "file", "bom-ref": name, "name": name, "hashes": _hashes(digest)}


def _hashes(digest: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": digest}]


def _save(folder: Path, manifest: Mapping[str, Any], bill: Mapping[str, Any]) -> None:
    text = json.dumps(bill, ensure_ascii=False, indent=1)
    output.replace(folder / file_name(manifest), [text.encode(), b"\n"])
