"""The guarded way to the web: which address may be reached, how, and how much is read. It must not know a tool."""
