"""Decides how a failure is put to a person: what happened, what is untouched, what to do next. It must not decide the exit code."""

from dataclasses import dataclass

from steadyhand.core.errors import SteadyhandError
from steadyhand.core.language import Language, has, say


@dataclass(frozen=True, slots=True)
class Explanation:
    """A failure in words, with its stable code."""

    code: str
    summary: str
    detail: str
    next_step: str

    def text_of_cause(self) -> str:
        """Return what happened in one line, without a mark at its end: for a sentence that goes on."""
        cause = self.detail.split(". ")[0].split("。")[0] if self.detail else ""
        return f"{self.summary} – {cause}".rstrip(" –.。") if cause else self.summary

    def text(self) -> str:
        """Return the three parts as lines, empty ones left out."""
        return "\n".join(part for part in (self.summary, self.detail, self.next_step) if part)


def word(language: Language, kind: str, value: object) -> object:
    """Return what a code constant is called, where the catalogue has ``word.<kind>.<value>``; other values stay as they are."""
    message = f"word.{kind}.{value}"
    return say(language, message) if has(language, message) else value


def explain(error: Exception, language: Language) -> Explanation:
    """Return *error* in words; one that has no text of its own is told as our fault."""
    if isinstance(error, SteadyhandError) and has(language, f"error.{error.told_as}.summary"):
        params = {name: word(language, name, value) for name, value in error.params.items()}
        parts = [say(language, f"error.{error.told_as}.{part}", **params) for part in ("summary", "detail", "next")]
        return Explanation(error.code, *parts)
    kind = error.code if isinstance(error, SteadyhandError) else type(error).__name__
    parts = [say(language, f"error.unexpected.{part}", kind=kind) for part in ("summary", "detail", "next")]
    return Explanation("unexpected", *parts)
