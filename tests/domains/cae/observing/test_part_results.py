"""What a part's jobs came to is read from its versions: the newest results, whether they are still the part's, who altered it last."""

import asyncio
import json
from dataclasses import replace

import pytest

from domains.cae.observing.shelves import ShelfOf, lay
from domains.cae.observing.small_part import stiffened
from steadyhand.core.clock import FakeClock
from steadyhand.core.language import LANGUAGES, say
from steadyhand.core.wire import ToolCall
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.domains.cae.observing.results import results_tool
from steadyhand.domains.cae.shelf.places import DECK
from steadyhand.domains.cae.shelf.records import at
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from tools.walking import faults
from trial_domains.stand import DESK, ME, OTHER

SUMMARY = {
    "displacement": {"max": 0.25, "node": 36},
    "von_mises": {"max": 120.5, "element": 7},
    "loads": [0.0, 0.0, -600.0],
    "reactions": [0.0, 0.0, 600.0],
    "supports": {"FIX": [0.0, 0.0, 600.0]},
}


class Shelf(ShelfOf):
    """A shelf whose parts went through *made* versions, each told as its deck and whether it was solved, the oldest first."""

    made: tuple[tuple[str, bool], ...] = ()

    def versions_of(self, user, name):
        first = at(self.folder(user, name)).manifest
        versions = [
            replace(first, version=place, number=10 + place, files={DECK: deck}, jobs={"J": SUMMARY} if solved else {})
            for place, (deck, solved) in enumerate(self.made, 1)
        ]
        return versions[::-1]


@pytest.fixture
def read(stand, tmp_path):
    shelf, choices = Shelf(tmp_path / "parts"), Choices(Working(stand.store, Tiers()))
    lay(shelf, ME, "ship/hull", stiffened())
    tool = results_tool(shelf, choices)
    assert faults((tool,)) == []
    assert (tool.effect, all(say(language, f"server.mcp.tool.{tool.name}") for language in LANGUAGES)) == ("read", True)
    runner = Runner(Registry((tool,)), ToolPolicy((Rule("allow"),)))

    def call(*made, language="en", user=ME, **arguments):
        shelf.made = made
        context = ToolContext(user, DESK, FakeClock(), language)
        return asyncio.run(runner.run(context, ToolCall("call_1", "part_results", json.dumps(arguments))))

    asyncio.run(choices.put(ME, DESK, Choice("part", "ship", "hull")))
    return call


@pytest.mark.parametrize("language", LANGUAGES)
def test_results_are_told_with_what_holds_the_part(read, language):
    told = read(("a", False), ("a", True), language=language)
    for value in ("0.25", "36", "120.5", "(0, 0, -600)", "FIX"):
        assert value in told.for_llm
    assert told.data["job"] == {"version": 2, "results": {"J": SUMMARY}}
    assert say(language, "cae.look.results_old", version=1) not in told.for_llm


def test_results_of_a_part_that_was_altered_since_are_told_as_such(read):
    assert "altered since" in read(("a", True), ("b", False)).for_llm
    assert "altered since" not in read(("a", True), ("a", False)).for_llm


def test_the_newest_results_are_told(read):
    assert read(("a", True), ("b", True), ("c", False)).data["job"]["version"] == 2


@pytest.mark.parametrize(
    ("made", "number"), [((("a", False),), 11), ((("a", False), ("a", True)), 11), ((("a", True), ("b", False), ("b", True)), 12)]
)
def test_what_altered_a_part_last_is_no_change_that_only_solved(read, made, number):
    assert read(*made).data["last_change"] == number


def test_a_part_without_results_or_that_is_not_there_says_so(read):
    assert "no results yet" in read(("a", False)).for_llm
    assert read(("a", True), user=OTHER, part="ship/hull").code == "part_unknown"


def test_a_part_that_was_chosen_but_never_built_is_not_there_yet(stand, tmp_path):
    choices = Choices(Working(stand.store, Tiers()))
    asyncio.run(choices.put(ME, DESK, Choice("part", "ship", "mast")))
    tool = results_tool(Shelf(tmp_path / "none"), choices)
    told = asyncio.run(tool.body(ToolContext(ME, DESK, FakeClock(), "en"), tool.arguments()))
    assert "ship/mast is not there yet" in told.for_llm
    assert told.data["last_change"] is None
