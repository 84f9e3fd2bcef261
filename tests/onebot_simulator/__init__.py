"""A OneBot v11 implementation for tests: it connects to an application as NapCat does, by reverse WebSocket."""
