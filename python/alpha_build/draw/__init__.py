"""Pictures of a checked system: its topology, and its run as a sequence diagram."""

from .sequence import sequence
from .topology import topology
from .write import write

PICTURES = {"topology": topology, "sequence": sequence}

__all__ = ["PICTURES", "sequence", "topology", "write"]
