"""Decides in which character set a body is read; it must not fail: what cannot be read is shown as replaced."""

import re

_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([a-zA-Z0-9_.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-zA-Z0-9_.:-]{2,40})[\"']", re.IGNORECASE)
_HEAD = 4_096

CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "x-gbk": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)},
    **{f"windows-{page}": f"cp{page}" for page in (874, *range(1250, 1259))},
}
"""The names that pages use, and how each is read, as browsers do: a name outside this table is not looked up anywhere."""

MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def decode(body: bytes, named: str) -> str:
    """Read *body*: by its own mark, else by the charset *named* with it, the one that it names itself, or UTF-8, whichever fits first."""
    for mark, codec in MARKS:
        if body.startswith(mark):
            return body.decode(codec, "replace")
    inside = [found[1].decode("ascii").lower() for pattern in (_META, _XML) if (found := pattern.search(body[:_HEAD]))]
    tried = [CODECS[name] for name in (named, *inside) if name in CODECS]
    if tried and tried[0] == "cp1252":  # what servers say when they do not know; every sequence of bytes would fit it
        tried.insert(0, "utf-8")
    for codec in (*tried, "utf-8", "gb18030"):
        text = _fitting(body, codec)
        if text is not None:
            return text
    return body.decode(tried[-1] if tried else "utf-8", "replace")


def _fitting(body: bytes, codec: str) -> str | None:
    """Return the text when *body* is in *codec*; a character that is cut off at the end does not count."""
    for end in range(4):
        try:
            return body[: len(body) - end].decode(codec)
        except UnicodeDecodeError as error:
            if error.start < len(body) - 4:
                return None
    return None
