"""Decides what can be said about parts without a model: phrases that look, and the writer of changes. It must not act."""

from steadyhand.domains.cae.phrases.looking import cae_phrases
from steadyhand.domains.cae.phrases.writer import CaeWriter, explain

__all__ = ["CaeWriter", "cae_phrases", "explain"]
