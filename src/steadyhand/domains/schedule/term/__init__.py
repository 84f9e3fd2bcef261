"""Terms: their days, weeks, windows and records."""
