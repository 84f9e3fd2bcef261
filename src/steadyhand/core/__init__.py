"""What every layer may use: ids, clock, errors, canonical JSON, settings, languages, wire types. It imports no other layer."""
