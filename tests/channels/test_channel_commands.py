"""`steady channel`: accounts are bound, listed and let go of, and a code is printed once, in both languages."""

import re

import pytest

from command_line.ground import in_here
from steadyhand.channels.binding import code_in
from steadyhand.core.language import LANGUAGES


def test_accounts_are_bound_listed_and_let_go_of(data_dir):
    assert "steady channel pair" in in_here(data_dir, "--lang", "en", "channel", "list").out
    assert in_here(data_dir, "channel", "bind", "onebot", "20002").code == 0
    assert in_here(data_dir, "channel", "bind", "onebot", "20003", "--may-decide").code == 0
    listed = in_here(data_dir, "--json", "channel", "list").data["accounts"]
    assert [(row["account"], row["may_decide"]) for row in listed] == [("20002", False), ("20003", True)]
    assert in_here(data_dir, "channel", "bind", "onebot", "20003").code == 0
    assert in_here(data_dir, "channel", "unbind", "onebot", "20002").code == 0
    listed = in_here(data_dir, "--json", "channel", "list").data["accounts"]
    assert [(row["account"], row["may_decide"]) for row in listed] == [("20003", False)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_is_printed_with_what_it_gives(data_dir, language):
    answer = in_here(data_dir, "--lang", language, "--json", "channel", "pair", "--may-decide")
    assert code_in(answer.data["code"]) is not None
    assert answer.data["may_decide"] is True
    assert answer.data["channel"] == "onebot"
    told = in_here(data_dir, "--lang", language, "channel", "pair")
    assert len(re.findall(r"\b[A-Z2-9]{4}-[A-Z2-9]{4}\b", told.out)) == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("bind", "telegram", "1"), "channel_unknown"),
        (("pair", "telegram"), "channel_unknown"),
        (("bind", "onebot", "somebody"), "account_unusable"),
        (("bind", "onebot", "0"), "account_unusable"),
        (("bind", "onebot", "1" * 40), "account_unusable"),
        (("unbind", "onebot", "20002"), "account_not_bound"),
    ],
)
def test_what_cannot_be_bound_is_refused_in_words(data_dir, words, code):
    answer = in_here(data_dir, "--json", "channel", *words)
    assert answer.code == 2
    assert answer.data["error"]["code"] == code


def test_an_account_of_another_person_is_not_taken_over(data_dir):
    from steadyhand.core.ids import UserId
    from steadyhand.store import Store
    from steadyhand.store.people import bindings

    in_here(data_dir, "channel", "list")
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    store.write_now(lambda tx: bindings.bind(tx, "onebot", "20002", UserId("another"), may_decide=True))
    answer = in_here(data_dir, "--json", "channel", "bind", "onebot", "20002")
    assert answer.data["error"]["code"] == "account_bound_elsewhere"
    assert store.read_now(lambda tx: bindings.find(tx, "onebot", "20002")).user_id == "another"
    store.close()
