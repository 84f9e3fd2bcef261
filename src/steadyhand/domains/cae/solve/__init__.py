"""Solving a part with CalculiX: checks, the deck, the run, and what its answer is worth; numpy and the engine's types alone."""
