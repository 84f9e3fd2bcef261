"""The open engine: arrays, operations and files of a part, on numpy and scipy alone, importable in a bare child process."""
