"""Benches: figures of this machine beside bars and peers, measured in one run."""
