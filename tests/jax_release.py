"""Skip what needs jax where jax is absent or older than the sources in ``cases`` and ``examples``."""

from __future__ import annotations

import pytest

OLDEST = (0, 11, 2)
"""``HiPrim`` has its name from here on."""


def skip_without_jax() -> None:
    """Skip the test, or the module when it is called at its top."""
    jax = pytest.importorskip("jax")
    if jax.__version_info__ < OLDEST:
        pytest.skip(f"needs jax {'.'.join(map(str, OLDEST))}, not {jax.__version__}", allow_module_level=True)
