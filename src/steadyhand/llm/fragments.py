"""Decides which call a fragment of a stream belongs to, and refuses where that is not certain; it must not read arguments for their meaning.

A call begins at an index not seen before, or, at a used one, with a new id together with a name once the arguments before are
complete. Calls that share an index must each have come whole in one fragment: were they cut, a fragment that came at another time
would pass from one to the other unseen. An identical repeat of an id or a name is nothing new; another id without a name is the same
call's; another name while the arguments are not complete is the rest of a name that was cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from steadyhand.core.arguments import shown
from steadyhand.core.canonical import Json
from steadyhand.core.ids import new_id
from steadyhand.core.wire import Completion, ToolCall, ToolSpec
from steadyhand.llm.fitting import misfit
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.strict import Object, load_arguments, paired

MOST_CALLS = 256
MOST_IDS = 4_000
"""How many ids one call may go through: some servers make a new one for each fragment."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """What one entry of a chunk says of one call; what is empty or null is absent."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Building:
    """A call of which pieces have come."""

    index: int
    id: str = ""
    name: str = ""
    ids: set[str] = field(default_factory=set[str])
    pieces: list[str] = field(default_factory=list[str])
    size: int = 0
    at_once: bool = True
    halves: bool = False

    @property
    def arguments(self) -> str:
        """The arguments so far; halves of characters that came apart are joined."""
        text = "".join(self.pieces)
        return paired(text) if self.halves else text

    def is_complete(self) -> bool:
        """Tell whether the arguments so far are one whole object."""
        last = next((piece.rstrip() for piece in reversed(self.pieces) if piece.strip()), "")
        return last.endswith("}") and load_arguments(self.arguments) is not None

    def take_name(self, name: str) -> None:
        if name and name != self.name:
            self.name += name

    def take_arguments(self, piece: str, most: int, *, named: bool) -> None:
        if not piece:
            return
        self.at_once = self.at_once and named and not self.pieces
        try:
            self.size += len(piece) if piece.isascii() else len(piece.encode())
        except UnicodeEncodeError:
            self.halves = True
            self.size += len(piece.encode("utf-8", "surrogatepass"))
        if self.size > most:
            raise ProviderError("tool_call", "arguments_too_long", about=shown(self.name))
        self.pieces.append(piece)


class Calls:
    """The calls of one answer while their fragments come. *most* bounds the bytes of one call's arguments."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[int | None, Building] = {}
        self._all: list[Building] = []
        self._old: dict[int | None, set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, piece: Fragment) -> None:
        """Give *piece* to the call that it belongs to."""
        if self._open and (piece.index is None) != (None in self._open):
            raise ProviderError("protocol", "index_missing")
        call = self._open.get(piece.index)
        if call is None or self._begins(call, piece):
            call = self._begin(piece)
        elif not call.id:
            call.id = piece.id
        if piece.id:
            call.ids.add(piece.id)
            if len(call.ids) > MOST_IDS:
                raise ProviderError("protocol", "call_ambiguous", about=shown(call.name))
        call.take_name(piece.name)
        call.take_arguments(piece.arguments, self._most, named=bool(piece.name))

    def _begin(self, piece: Fragment) -> Building:
        call = Building(piece.index or 0, piece.id)
        if piece.index in self._open:
            self._old.setdefault(piece.index, set()).update(self._open[piece.index].ids)
        self._open[piece.index] = call
        self._all.append(call)
        if len(self._all) > MOST_CALLS:
            raise ProviderError("protocol", "too_many_calls")
        return call

    def _begins(self, call: Building, piece: Fragment) -> bool:
        """Tell whether *piece* begins another call at the place of *call*."""
        about = shown(call.name)
        if piece.id and piece.id in self._old.get(piece.index, ()):
            raise ProviderError("protocol", "call_ambiguous", about=about)
        new_id_came = bool(piece.id) and piece.id not in call.ids and piece.id != call.id
        if not new_id_came:
            if piece.index is None and piece.name and (piece.name != call.name or not piece.id):
                raise ProviderError("protocol", "call_ambiguous", about=about)
            return False
        if not piece.name:
            if piece.index is None and call.ids:
                raise ProviderError("protocol", "call_ambiguous", about=about)
            return False
        if call.is_complete():
            if not call.ids and call.name in {"", piece.name}:
                return self._late(call, piece)
            return True
        return self._continues(call, piece)

    def _late(self, call: Building, piece: Fragment) -> bool:
        """Read an id that comes after whole arguments without an id: with the name of a call that has none it is that call's."""
        if piece.index is None or call.name or piece.arguments.strip():
            raise ProviderError("protocol", "call_ambiguous", about=shown(piece.name))
        return False

    def _continues(self, call: Building, piece: Fragment) -> bool:
        """Read another id and a name before the arguments are complete: both go on, or it cannot be known what they are."""
        repeated = piece.name == call.name
        if piece.index is None or (repeated and not call.pieces):
            raise ProviderError("protocol", "call_ambiguous", about=shown(call.name))
        if not repeated and call.name and call.id:
            call.id += piece.id
            call.ids.add(call.id)
        return False

    @property
    def texts(self) -> list[str]:
        """The arguments of every call, in the order in which they began."""
        return [call.arguments for call in self._all]

    def whole(self, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
        """Return the calls by index; raises `ProviderError` when one of them cannot be used, since then none is."""
        known = {tool.name: tool for tool in tools}
        ordered = sorted(self._all, key=lambda call: call.index)  # stable: at one index they stay as they began
        for call in ordered:
            if not call.name:
                raise ProviderError("protocol", "name_missing")
        for old, new in pairwise(ordered):
            if old.index == new.index and not (old.at_once and new.at_once):
                raise ProviderError("protocol", "call_ambiguous", about=shown(new.name))
        texts = [call.arguments if call.size else "{}" for call in ordered]
        try:
            read = [_read(call, text, known) for call, text in zip(ordered, texts, strict=True)]
        except ProviderError as error:
            error.answer = Completion(tool_calls=_made(ordered, texts))
            raise
        _no_doubles(ordered, read)
        return _made(ordered, texts)


def _made(ordered: "Sequence[Building]", texts: Sequence[str]) -> tuple[ToolCall, ...]:
    taken: set[str] = set()
    found: list[ToolCall] = []
    for call, text in zip(ordered, texts, strict=True):
        call.id = paired(call.id)
        while not call.id or call.id in taken:
            call.id = new_id("call")
        taken.add(call.id)
        found.append(ToolCall(call.id, call.name, text))
    return tuple(found)


def _read(call: Building, text: str, known: dict[str, ToolSpec]) -> Object:
    tool = known.get(call.name)
    if tool is None:
        raise ProviderError("tool_call", "tool_unknown", about=shown(call.name))
    arguments = load_arguments(text)
    if arguments is None:
        raise ProviderError("tool_call", "arguments_unreadable", about=shown(call.name))
    place = misfit(arguments, tool.parameters)
    if place is not None:
        raise ProviderError("tool_call", "arguments_unfit", about=f"{shown(call.name)}: {shown(place) or '-'}")
    return arguments


def _no_doubles(calls: Sequence[Building], read: Sequence[Json]) -> None:
    """Refuse two calls of one id, or at one index, that are the same call: nobody knows whether they are one or two."""
    seen: dict[str | int, list[tuple[str, Json]]] = {}
    for call, arguments in zip(calls, read, strict=True):
        this = (call.name, arguments)
        for place in {call.id or call.index, call.index}:
            if this in seen.setdefault(place, []):
                raise ProviderError("protocol", "call_doubled", about=shown(call.name))
            seen[place].append(this)
