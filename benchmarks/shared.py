"""All-reduce of f32 through shared memory: `allreduce.py --shared`."""

from __future__ import annotations

from allreduce import main

if __name__ == "__main__":
    main(shared=True)
