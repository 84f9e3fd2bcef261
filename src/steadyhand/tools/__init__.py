"""The tool contract: results, declarations, registry, runner. It must not know a domain, the gate or a channel."""
