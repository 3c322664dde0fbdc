"""Reads what owners published: shards and manifests checked against their digests, and the state's hash."""
