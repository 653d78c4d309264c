"""Report the findings that a change introduced, and nothing else."""

__version__ = "0.1.0"
