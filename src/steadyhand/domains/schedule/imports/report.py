"""Decides which things an import can say and how each counts: kept, changed, dropped or asked. It must not decide which of them is true."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.term.weeks import EVEN, ODD

Verdict: TypeAlias = Literal["kept", "changed", "dropped", "asked"]
Value: TypeAlias = str | int
VERDICTS: tuple[Verdict, ...] = ("kept", "changed", "dropped", "asked")

_CODES: Mapping[Verdict, tuple[str, ...]] = {
    "kept": ("course_kept", "event_task_kept", "item_kept"),
    "changed": (
        "encoding_read",
        "characters_replaced",
        "name_cleaned",
        "zone_named",
        "zone_offset",
        "zone_unknown",
        "zone_floating",
        "zone_described",
        "zone_contradicted",
        "zone_of_file",
        "zone_converted",
        "clock_moved",
        "uid_made",
        "uid_shared",
        "property_unreadable",
        "dates_unreadable",
        "name_found",
        "start_off_rule",
        "exception_unmatched",
        "override_unmatched",
        "override_words",
        "events_joined",
        "cut_to_term",
        "time_fitted",
        "times_of_scale",
        "column_unknown",
        "detail_unknown",
        "sections_assumed",
        "lesson_note",
        "scale_unusable",
        "start_other",
        "scale_other",
        "fact_applied",
    ),
    "dropped": (
        "event_unterminated",
        "event_unreadable",
        "event_too_long",
        "events_too_many",
        "component_other",
        "name_missing",
        "start_missing",
        "start_unreadable",
        "end_unreadable",
        "end_before_start",
        "all_day",
        "cancelled",
        "duplicate",
        "older_version",
        "rule_unreadable",
        "rule_interval",
        "rule_too_fine",
        "rule_part",
        "rule_dense",
        "rule_too_long",
        "dates_too_many",
        "meetings_too_many",
        "no_meeting",
        "override_void",
        "outside_term",
        "row_unreadable",
        "row_value",
        "row_outside_scale",
        "row_outside_term",
        "row_dates_crossed",
        "item_done",
        "text_ignored",
        "left_by_person",
        "lesson_untimed",
        "lesson_day",
        "lesson_sections",
        "lesson_weeks",
        "lesson_time",
        "lessons_too_many",
        "fact_collision",
    ),
    "asked": ("time_outside_scale", "overnight", "no_duration", "overlap", "date_unresolved", "weeks_unsaid"),
}
VERDICT_OF: Mapping[str, Verdict] = {code: verdict for verdict, codes in _CODES.items() for code in codes}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a person should know: a stable *code*, the values its text needs, and the line of the file (0: none)."""

    code: str
    params: Mapping[str, Value] = field(default_factory=dict[str, Value])
    line: int = 0

    @property
    def verdict(self) -> Verdict:
        return VERDICT_OF[self.code]

    def to_json(self) -> Json:
        return {"code": self.code, "params": dict(self.params), "line": self.line}

    @staticmethod
    def from_json(value: Json) -> "Entry":
        entry = cast("Mapping[str, Json]", value)
        return Entry(cast("str", entry["code"]), cast("Mapping[str, Value]", entry["params"]), cast("int", entry["line"]))


def entry(code: str, line: int = 0, **params: Value) -> Entry:
    """Return an entry; its values are named as its text names them."""
    return Entry(code, params, line)


def sentence(language: Language, told: Entry) -> str:
    """Return what *told* says, with its line where it has one."""
    text = say(language, f"import.{told.code}", **{name: _worded(language, name, value) for name, value in told.params.items()})
    return say(language, "import.at_line", line=told.line, text=text) if told.line else text


def _worded(language: Language, name: str, value: Value) -> Value:
    """Put a weekday or a list of weeks into words; every other value is shown as it is."""
    if name == "day":
        return say(language, f"export.day.{value}")
    if name == "weeks" and isinstance(value, str):
        return value.replace(ODD, say(language, "export.odd")).replace(EVEN, say(language, "export.even"))
    return value


class Dropped(Exception):
    """One thing of a file is not taken; *code* and *params* are those of the entry that says why."""

    def __init__(self, code: str, **params: Value) -> None:
        super().__init__(code)
        self.code, self.params = code, params
