"""What is asked of every file before anything is parsed."""

from __future__ import annotations

import os

MARKS = (b"hijax", b"vjp_bwd", b"HiPrim")
"""A file with none of these, and no name of a primitive class, holds no primitive and uses none: it is not parsed.

So a syntax error in such a file is not noticed, and is no error of the run.
"""


def module_path(path: str) -> str:
    """The absolute path, with forward slashes, by which a file is known in the index."""
    return os.path.abspath(path).replace(os.sep, "/")
