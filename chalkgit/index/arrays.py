"""numpy, loaded for a program that lives a moment: whoever needs arrays takes them from here."""

from __future__ import annotations

import os

from chalkgit import config

# OpenBLAS starts a thread for each further core when numpy is imported, and they spin for work: on two cores
# that was 57 of the 124 ms of processor time the import took. putenv, because it is C that reads this, and
# our own children have no use for it.
if config.environment_value("OPENBLAS_NUM_THREADS") is None:
    os.putenv("OPENBLAS_NUM_THREADS", "1")

import numpy as numpy

__all__ = ["numpy"]
