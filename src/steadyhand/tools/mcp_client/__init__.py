"""Tools of other MCP servers, as tools of ours. It must not believe what a server says of itself."""
