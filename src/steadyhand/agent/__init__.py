"""What stands between a provider and the gate: proposing and collecting. It must not name a domain, decide for a person or run an effect."""
