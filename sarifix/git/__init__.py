"""The only package that says "git". Nothing of the user's is ever written."""

from __future__ import annotations

from sarifix.git.blobs import Blobs, TreeFiles
from sarifix.git.indexes import WorkingTree
from sarifix.git.repository import Repository, discover
from sarifix.git.scratch import HEAD_SLOT, LaidOut, Scratch, made_ready, slot_of
from sarifix.git.trees import Git

__all__ = [
    "HEAD_SLOT",
    "Blobs",
    "Git",
    "LaidOut",
    "Repository",
    "Scratch",
    "TreeFiles",
    "WorkingTree",
    "discover",
    "made_ready",
    "slot_of",
]
