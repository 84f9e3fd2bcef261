"""The only package that speaks SQL. It must not decide what is written, only that it is written whole or not at all."""

from steadyhand.store.database.engine import Store, Tx

__all__ = ["Store", "Tx"]
