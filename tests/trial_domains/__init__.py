"""Domains that exist for tests alone: one that collects and rehearses, one foreign target, one in our own database."""
