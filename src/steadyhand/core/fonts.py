"""Decides which font file with Chinese a picture is drawn with; it must not fetch one or draw."""

import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

_PACKAGED = ("manimgx_fonts_cjk", "NotoSansCJK-VF.otf.ttc")
_FAMILIES = (
    "notosanscjk",
    "notosanssc",
    "notosanshans",
    "sourcehansans",
    "pingfang",
    "msyh",
    "wqy-",
    "hiragino sans gb",
    "stheiti",
    "droidsansfallback",
    "lxgwwenkai",
    "simhei",
    "simsun",
    "uming",
    "ukai",
)
_ENDINGS = frozenset({".ttf", ".otf", ".ttc"})
_MOST_FILES = 20_000


def find_font(folders: Iterable[Path] | None = None) -> Path | None:
    """Return a font file with Chinese: the packaged one, else the best known name in the folders where systems keep fonts."""
    packaged = find_spec(_PACKAGED[0]) if folders is None else None
    if packaged is not None and packaged.origin is not None:
        file = Path(packaged.origin).parent / _PACKAGED[1]
        if file.is_file():
            return file
    ranked = sorted(_known(folders if folders is not None else font_folders()))
    return ranked[0][-1] if ranked else None


def font_folders() -> list[Path]:
    """Return the folders in which this kind of system keeps fonts."""
    home = Path.home()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        return [Path("C:/Windows/Fonts"), home / "AppData/Local/Microsoft/Windows/Fonts"]
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts", home / ".fonts"]


def _known(folders: Iterable[Path]) -> Iterator[tuple[int, bool, str, Path]]:
    """Yield the files of known families: rank of the family, whether it is no regular weight, name."""
    seen = 0
    for folder in folders:
        for file in folder.rglob("*") if folder.is_dir() else ():
            seen += 1
            if seen > _MOST_FILES:
                return
            name = file.name.lower()
            rank = next((rank for rank, family in enumerate(_FAMILIES) if name.startswith(family)), None)
            if rank is not None and file.suffix.lower() in _ENDINGS:
                yield rank, "regular" not in name and "-" in name, name, file
