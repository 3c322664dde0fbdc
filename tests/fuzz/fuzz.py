"""Coverage-guided fuzzing of what reads a peer's bytes: builds the targets, and runs them for some seconds.

`make fuzz` runs each for five minutes and keeps whatever reached code that nothing before had reached:
`corpus/` has one file a target, one input a line, in hexadecimal digits.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CPP = HERE.parents[1] / "cpp"
TARGETS = ("frame", "ports", "stream")
FLAGS = [
    "-std=c++20", "-O1", "-g1", f"-I{CPP}",
    "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
]  # fmt: skip


def compiler() -> str | None:
    """A clang that brings libFuzzer."""
    found = [name for name in ("clang++-14", "clang++") if shutil.which(name)]
    works = [*FLAGS, "-x", "c++", "-", "-o", "/dev/null"]
    source = b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    for name in found:
        if subprocess.run([name, *works], input=source, capture_output=True).returncode == 0:
            return name
    return None


def build(folder: Path, clang: str) -> dict[str, Path]:
    """The executables of all targets; what they share is compiled once."""
    shared = [
        path
        for part in ("base", "frame", "socket")
        for path in sorted((CPP / part).glob("*.cpp"))
        if path.name not in ("memory.cpp", "start.cpp")
    ]
    subprocess.run(
        [clang, *FLAGS, "-Wno-unknown-warning-option", "-c", *map(str, shared)], check=True, cwd=folder
    )
    objects = [str(folder / f"{path.stem}.o") for path in shared]
    made = {}
    for target in TARGETS:
        made[target] = folder / f"fuzz-{target}"
        subprocess.run([clang, *FLAGS, str(HERE / f"{target}.cpp"), *objects, "-o", made[target]], check=True)
    return made


def unpack(target: str, folder: Path) -> Path:
    """The kept inputs of a target as files in `folder`."""
    folder.mkdir()
    for number, line in enumerate((HERE / "corpus" / f"{target}.txt").read_text().split()):
        (folder / f"{number:04}").write_bytes(bytes.fromhex(line))
    return folder


def pack(target: str, folder: Path) -> None:
    inputs = {path.read_bytes().hex() for path in folder.iterdir()}
    text = "".join(f"{line}\n" for line in sorted(inputs, key=lambda line: (len(line), line)) if line)
    (HERE / "corpus" / f"{target}.txt").write_text(text)


def fuzz(executable: Path, corpora: list[Path], *options: str) -> subprocess.CompletedProcess[str]:
    """New inputs go to the first corpus; the last lines of a run that found nothing say how many it made."""
    # What it takes for its resident memory is at least that of the process which started it.
    limits = ["-max_len=256", "-timeout=10", "-rss_limit_mb=0", "-malloc_limit_mb=512"]
    words = [str(executable), *limits, *options, *map(str, corpora)]
    return subprocess.run(words, capture_output=True, text=True, cwd=executable.parent)


def main(seconds: int) -> int:
    clang = compiler()
    if clang is None:
        print("fuzz: needs a clang with libFuzzer (apt-get install clang-14)", file=sys.stderr)
        return 1
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for target, executable in build(folder, clang).items():
            kept, fresh, merged = (
                unpack(target, folder / f"{target}-kept"),
                folder / target,
                folder / f"{target}-all",
            )
            fresh.mkdir()
            merged.mkdir()
            done = fuzz(executable, [fresh, kept], f"-max_total_time={seconds}")
            print(
                done.stderr[-4000:] if done.returncode else f"fuzz: {target}: {done.stderr.splitlines()[-1]}"
            )
            failed = failed or done.returncode != 0
            fuzz(executable, [merged, kept, fresh], "-merge=1")
            pack(target, merged)
            for crash in folder.glob("crash-*"):
                shutil.move(crash, Path.cwd() / f"{target}-{crash.name}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
