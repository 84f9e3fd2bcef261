"""Decides what a generated script can say: thin words over the engine's operations, in the manner of the modelled API.

It must not look for a target, a file or a solver itself: whoever runs a script sets a `Stage` with all of them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
