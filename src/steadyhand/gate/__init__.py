"""The gate: every change to a target passes here, bound, once, read back. It must not know a domain's rules or reach a model."""
