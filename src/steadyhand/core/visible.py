"""Decides how foreign text is made visible, so that what is read is all that is there; it must not judge or repair it."""


def visible(text: str, keep: str = "\n") -> str:
    """Return *text* with every mark that does not print written out, but for those of *keep*."""
    return "".join(mark if mark in keep or mark.isprintable() else _written(mark) for mark in text)


def _written(mark: str) -> str:
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"
