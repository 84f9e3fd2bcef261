"""From calls to operations, from operations to a script: the same bytes on any machine, with the evidence that a read-back must show."""

from steadyhand.domains.cae.compiling.accepting import operations
from steadyhand.domains.cae.compiling.composing import compile_program as compile  # noqa: A004  # the gate's own word
from steadyhand.domains.cae.compiling.presenting import present
from steadyhand.domains.cae.compiling.verifying import verify

__all__ = ["compile", "operations", "present", "verify"]
