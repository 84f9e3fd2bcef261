"""The shelf: where a person's parts lie, version by version, and how a program changes one whole or not at all."""
