"""Parts for tests: a shelf in a folder of its own, and a domain whose operations are the lines of a script."""
