"""Starts the two executables of this wheel on this machine; they find each other through a port that role 0 picks."""

import json
import subprocess
import sys
from pathlib import Path

ROLES = Path(__file__).parent / "roles"


def main() -> int:
    """Train; state goes below the folder `line-fit` of the current one. Returns an exit status."""
    entries = json.loads((ROLES / "manifest.json").read_text())["roles"]
    first, second = [[str(ROLES / entry["file"]), "--state", "line-fit"] for entry in entries]
    with subprocess.Popen(first, stdout=subprocess.PIPE) as listening:
        assert listening.stdout is not None
        port = listening.stdout.read(2)  # role 0 listens for role 1, and says where
        dialling = subprocess.run(second, input=port, check=False)
    return listening.returncode or dialling.returncode


if __name__ == "__main__":
    sys.exit(main())
