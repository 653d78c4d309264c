"""SHA-256. To load OpenSSL takes longer than what a run mostly hashes, so it is for much."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256 as _builtin
else:
    try:
        from _sha2 import sha256 as _builtin  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256 as _builtin
        except ImportError:  # another Python than CPython
            from hashlib import sha256 as _builtin

_MUCH = 1 << 20  # bytes: above, OpenSSL is the faster one, loading it included


def sha256(data: bytes) -> str:
    """Return the SHA-256 digest of some bytes, as 64 hexadecimal digits."""
    if len(data) < _MUCH:
        return _builtin(data).hexdigest()
    import hashlib

    return hashlib.sha256(data).hexdigest()
