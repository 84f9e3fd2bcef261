"""Providers: what answers a request, whole or not at all. It must not know a tool's body, a change or a person."""
