"""Steadyhand: a self-hosted agent for plans that must hold. This package root decides nothing but the version."""

__version__ = "0.1.0"
