"""The domains, a folder each; they do not know each other, and nothing below them knows them."""
