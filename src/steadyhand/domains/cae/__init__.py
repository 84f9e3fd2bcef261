"""The CAE domain: parts of nodes and elements, changed by generated programs that were rehearsed on a copy."""
