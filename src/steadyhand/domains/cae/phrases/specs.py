"""Decides how the spec of a draft reads: the template's headings in the brief's language, assumptions marked, the line of capabilities last. It must not draft."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.core.language import Language, say
from steadyhand.domains.cae.calls.table import TOOLS
from steadyhand.domains.cae.catalogue.routing import TITLES
from steadyhand.domains.cae.phrases.drafting import Draft, Head, Misfit, Note

_PLAIN: Final = ("dimensions", "coordinates")


def spec_of(draft: Draft, language: Language) -> str:
    """Return the spec of *draft* in *language*."""
    return _Page(draft, language).text()


class _Page:
    """One spec."""

    def __init__(self, draft: Draft, language: Language) -> None:
        from steadyhand.domains.cae.compiling.wording import Wording  # noqa: PLC0415  # who asks for no spec needs no compiler

        self._draft = draft
        self._language: Language = language
        self._wording = Wording(language)

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"cae.written.{message}", **params)

    def text(self) -> str:
        operations = [self._operation(tool) for tool in self._draft.tools]
        lines = [
            self._line("what", operations),
            *(self._line(head, self._told(head)) for head in _PLAIN),
            self._line("regions", self._regions()),
            self._line("standing", self._told("standing")),
            self._line("cleanup", [self._operation("repair_part")] if "repair_part" in self._draft.calls else []),
            *(self._line("assumption", [one]) for one in self._told("assumptions") or [""]),
            self._line("limits", self._told("limits")),
            self._capabilities(),
        ]
        return "\n".join(lines)

    def _line(self, head: str, texts: Sequence[str]) -> str:
        told = [text for text in texts if text]
        return self._say(f"head.{head}", text=self._say("and").join(told) if told else self._say("none"))

    def _told(self, head: Head) -> list[str]:
        return [self._note(note) for note in self._draft.notes if note.head == head]

    def _note(self, note: Note) -> str:
        return self._say(note.message, **{name: shown(value) for name, value in note.params.items()})

    def _operation(self, tool: str) -> str:
        from steadyhand.domains.cae.compiling.accepting import normalised, read  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.compiling.composing import told  # noqa: PLC0415  # as above

        item = cast("Mapping[str, Any]", told({"tool": tool, "arguments": normalised(read(tool, self._draft.calls[tool]))}))
        return self._wording.operation(tool, item["arguments"])

    def _regions(self) -> list[str]:
        """Return every region once, of elements or of nodes."""
        found: list[str] = []
        for tool in self._draft.tools:
            for region, nodes in regions_in(self._draft.calls[tool]):
                said = self._wording.region(region, nodes=nodes)
                found += [] if said in found else [said]
        return found

    def _capabilities(self) -> str:
        words = ", ".join(TOOLS[tool].capability for tool in self._draft.tools)
        return self._say("capabilities", module=TITLES[self._draft.module], words=words)


def regions_in(call: Mapping[str, Any]) -> Iterable[tuple[Mapping[str, Any], bool]]:
    """Yield the regions of a call, each with whether it is one of nodes."""
    for name in ("region", "delete_region"):
        if call.get(name) is not None:
            yield call[name], False
    for name in ("operations", "assignments", "supports", "loads"):
        for entry in cast("Sequence[Mapping[str, Any]]", call.get(name, ())):
            if "region" in entry:
                yield entry["region"], name == "supports" or entry.get("kind") == "force"


def misfit_text(misfit: Misfit, language: Language) -> str:
    """Say why a sentence cannot be done as it stands."""
    params = {name: shown(value) for name, value in misfit.params.items()}
    if "modules" in misfit.params:
        names = cast("Sequence[str]", misfit.params["modules"])
        params["modules"] = say(language, "cae.written.or").join(say(language, f"cae.written.module.{name}") for name in names)
    return say(language, f"cae.written.misfit.{misfit.code}", **params)


def shown(value: object) -> object:
    """Return a number, several of them, or a name as people write them."""
    if isinstance(value, float):
        return f"{value + 0.0:.6g}"
    if isinstance(value, tuple | list):
        held = [str(shown(one)) for one in cast("Sequence[object]", value)]
        numbers = all(isinstance(one, int | float) for one in cast("Sequence[object]", value))
        return f"({', '.join(held)})" if numbers else ", ".join(held)
    return value
