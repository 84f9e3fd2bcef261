"""The way in for a page in a browser and for programs of the person: HTTP and WebSocket. It must not let anybody in without the token."""
