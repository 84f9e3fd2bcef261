"""How the tool servers of the settings stand is told by `steady mcp --status` and by the doctor, which asks them as well."""

import sys

import pytest

from steadyhand.core.language import say

DEAD = f"""
[mcp.dead]
command = "{sys.executable}"
args = ["-c", "raise SystemExit(1)"]
"""


def test_without_servers_it_says_that_none_are_set(steady):
    done = steady("--lang", "en", "mcp", "--status")
    assert (done.code, done.out.strip()) == (0, say("en", "cli.mcp.no_servers"))


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_server_that_does_not_answer_is_told_by_both_and_refused_by_one(steady, data_dir, language):
    (data_dir / "steadyhand.toml").write_text(DEAD, encoding="utf-8")
    done = steady("--lang", language, "mcp", "--status")
    assert done.code == 1
    why = say(language, "error.mcp_unreachable.summary", server="dead")
    step = say(language, "error.mcp_unreachable.next", server="dead")
    told = say(language, "cli.mcp.does_not_answer", server="dead", why=why, failures=1, next=step)
    assert done.out.strip() == told
    looked = steady("--lang", language, "doctor")
    assert looked.code == 0
    assert say(language, "cli.mcp.does_not_answer", server="dead", why=why, failures=2, next=step) in looked.out
    [server] = steady("mcp", "--status", "--json").data["servers"]
    assert (server["server"], server["answers"], server["tools"]) == ("dead", False, 0)
