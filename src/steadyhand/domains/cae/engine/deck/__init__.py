"""A part as a deck (`.inp`), its truth that other programs read too, and the cache that spares reading it again."""

from steadyhand.domains.cae.engine.deck.cache import load_cache, save_cache
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.writing import write_deck

__all__ = ["load_cache", "read_deck", "save_cache", "write_deck"]
