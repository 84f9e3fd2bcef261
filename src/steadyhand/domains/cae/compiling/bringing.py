"""Decides the two operations that only code gives: bringing in a deck, and restoring a version. It must not put one of them on the wire."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from steadyhand.tools.base import Arguments

Sha256: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count: TypeAlias = Annotated[int, Field(ge=0)]


class Brought(Arguments):
    """How many nodes and elements a deck or a version holds, as code counted them."""

    node_count: Count
    element_count: Count
    shape_counts: dict[Literal["QUAD", "TRI", "BEAM"], Count]


class ImportDeck(Arguments):
    """import_deck: the stored deck *sha256*, once a file called *file*, becomes the part."""

    sha256: Sha256
    file: Annotated[str, Field(max_length=255)]
    replace: bool = False
    summary: Brought | None = None


class RestoreVersion(Arguments):
    """restore_version: the part becomes again what *version* holds; *digests* of its regions prove it. Version 0 is a part without anything."""

    version: Count
    sha256: Sha256 | Literal[""]
    digests: dict[Literal["geometry", "sets", "properties", "cases"], Sha256] | None = None
    summary: Brought | None = None


BRINGING: Final[Mapping[str, type[Arguments]]] = {"import_deck": ImportDeck, "restore_version": RestoreVersion}
