"""The house itself: data, health, people, servers, channels and conformance."""
