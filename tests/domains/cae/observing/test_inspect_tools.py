"""A conversation looks at the person's own parts: which there are, a summary, regions, single rows; nobody else's, and nothing is changed."""

import asyncio
import json
from pathlib import Path

import pytest

from domains.cae.observing.shelves import ShelfOf, lay
from domains.cae.observing.small_part import stiffened
from steadyhand.core.clock import FakeClock
from steadyhand.core.language import LANGUAGES, say
from steadyhand.core.wire import ToolCall
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.domains.cae.engine import observe
from steadyhand.domains.cae.observing import tools as looking
from steadyhand.domains.cae.observing.tools import inspect_tools
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from tools.walking import faults
from trial_domains.stand import DESK, ME, OTHER

GOLDEN = Path(__file__).parents[3] / "golden" / "cae"


class Desk:
    def __init__(self, store, root):
        self.choices = Choices(Working(store, Tiers()))
        self.shelf = ShelfOf(root)
        self.runner = Runner(Registry(inspect_tools(self.shelf, self.choices)), ToolPolicy((Rule("allow"),)))

    def call(self, name, language="en", user=ME, **arguments):
        context = ToolContext(user, DESK, FakeClock(), language)
        return asyncio.run(self.runner.run(context, ToolCall("call_1", name, json.dumps(arguments))))

    def choose(self, name, module="part"):
        asyncio.run(self.choices.put(ME, DESK, Choice(module, *name.split("/"))))


@pytest.fixture
def desk(stand, tmp_path):
    made = Desk(stand.store, tmp_path / "parts")
    lay(made.shelf, ME, "ship/hull", stiffened())
    lay(made.shelf, ME, "ship/mast", None)
    lay(made.shelf, OTHER, "secret/keel", stiffened())
    return made


def scenes(desk, language):
    def scene(title, name, **arguments):
        result = desk.call(name, language, **arguments)
        assert result.for_user == ""
        return f"== {title}: {result.code}\n{result.for_llm}\n"

    yield scene("list", "list_parts")
    yield scene("not chosen", "observe_part")
    desk.choose("ship/hull")
    yield scene("list, chosen", "list_parts")
    yield scene("summary", "observe_part")
    yield scene("summary of nothing", "observe_part", part="mast")
    yield scene("regions", "inspect_region")
    yield scene("regions of nothing", "inspect_region", part="ship/mast")
    yield scene("elements", "inspect_detail", region={"set": "EDGE"}, limit=2)
    yield scene("nodes", "inspect_detail", region={"side": "xmin"}, kind="nodes", offset=2)
    yield scene("unknown set", "inspect_detail", region={"set": "NONE"})
    yield scene("another's", "observe_part", part="secret/keel")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_model_reads_is_as_written_down(desk, language):
    assert "\n".join(scenes(desk, language)) == (GOLDEN / f"looking.{language}.txt").read_text(encoding="utf-8")


def test_all_are_read_tools_that_keep_the_contract_and_have_a_title(desk):
    tools = inspect_tools(desk.shelf, desk.choices)
    assert [(tool.name, tool.effect) for tool in tools] == [
        (name, "read") for name in ("list_parts", "observe_part", "inspect_region", "inspect_detail")
    ]
    assert faults(tools) == []
    assert all(say(language, f"server.mcp.tool.{tool.name}") for language in LANGUAGES for tool in tools)


def test_nobody_sees_another_persons_parts(desk):
    told = "".join(
        desk.call(name, **arguments).for_llm
        for name, arguments in (
            ("list_parts", {}),
            ("observe_part", {"part": "secret/keel"}),
            ("inspect_region", {"part": "keel"}),
            ("inspect_detail", {"part": "../another/secret/keel", "region": {"all": True}}),
        )
    )
    assert "keel:" not in told
    assert "version 1" in desk.call("observe_part", user=OTHER, part="keel").for_llm


def test_looking_changes_nothing_on_the_disk(desk):
    def laid():
        return {str(path): path.read_bytes() for path in sorted(desk.shelf.root.rglob("*")) if path.is_file()}

    before = laid()
    for name in ("list_parts", "observe_part", "inspect_region"):
        desk.call(name, **({} if name == "list_parts" else {"part": "hull"}))
    desk.call("inspect_detail", part="hull", region={"all": True})
    assert laid() == before


def test_every_way_of_saying_a_region_reaches_the_mesh(desk):
    ways = (
        {"set": "DECK"},
        {"labels": [1, 2]},
        {"box": {"minimum": [0, 0, 0], "maximum": [300, 200, 0]}, "shapes": ["QUAD"]},
        {"plane": {"axis": "Z", "at": 0}},
        {"side": "zmin"},
        {"all": True},
    )
    totals = [desk.call("inspect_detail", part="hull", region=way).data["total"] for way in ways]
    assert totals == [6, 2, 6, 9, 9, 10]


def test_a_page_has_at_most_so_many_rows_here_as_in_the_engine(desk):
    assert looking.MOST_ROWS == observe.MOST_ROWS
    assert desk.call("inspect_detail", part="hull", region={"all": True}, limit=looking.MOST_ROWS + 1).code == "bad_argument"


def test_a_damaged_cache_is_read_past(desk):
    cache = desk.shelf.folder(ME, desk.shelf.parts_of(ME)[0]).version(1) / "part.npz"
    cache.write_bytes(b"no cache")
    assert desk.call("inspect_detail", part="hull", region={"all": True}).data["total"] == 10


def test_the_only_part_needs_no_name(desk):
    assert desk.call("observe_part", user=OTHER).code == "ok"
