"""`steady doctor --provider` asks the model's server and says what it can do, and what to do where it cannot; the key is never shown."""

import asyncio
import json
import threading

import pytest

from llm.server import DONE, HELLO, Server, event, never, refusal
from steadyhand.core.clock import SystemClock, local
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.store import Store
from steadyhand.store.people import people, spending
from steadyhand.store.people.spending import Spent

KEY = "sk-very-secret-0123456789"  # no real key
USED = event({}, usage={"prompt_tokens": 20, "completion_tokens": 5})
TEXT = [event({"content": "one, "}), event({"content": "two"}), event({}, "stop"), USED, DONE]


def calling(arguments='{"number":7}'):
    call = {"index": 0, "id": "c", "function": {"name": "note_number", "arguments": arguments}}
    return [event({"tool_calls": [call]}, "tool_calls"), USED, DONE]


def document(message, finish, **more):
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>"
FINE = [TEXT, calling()]


@pytest.fixture
def served(monkeypatch):
    """Start a server with a script in a thread of its own, and name it in the settings."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers = []

    def run(coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(60)

    def start(*script, **settings):
        server = Server(list(script))
        run(server.__aenter__())
        servers.append(server)
        named = {"model_base_url": server.address, "model_name": "small", **settings}
        for name, value in named.items():
            monkeypatch.setenv(f"STEADYHAND_{name.upper()}", str(value))
        return server

    yield start
    for server in servers:
        run(server.__aexit__())
    loop.call_soon_threadsafe(loop.stop)
    thread.join(60)
    loop.close()


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("MODEL_KEY", KEY)
    return {"model_key_env": "MODEL_KEY"}


@pytest.fixture
def known(steady, data_dir):
    """The database after a first command, with its local person."""
    assert steady("user", "set", "--zone", "Asia/Shanghai").code == 0
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    yield store
    store.close()


def levels(done):
    return {look["code"]: look["level"] for look in done.data["looks"]}


def looked(steady, language="en"):
    """Return what the command tells of the model: how it ended, each finding with its level, and all that it printed."""
    done = steady("--lang", language, "doctor", "--provider", "--json")
    return done.code, {look["code"]: look["level"] for look in done.data["looks"] if look["topic"] == "model"}, done


# ---- without a model -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_model_it_says_who_answers_and_how_to_configure_one(steady, data_dir, language):
    code, found, done = looked(steady, language)
    assert (code, found) == (0, {"model_none": "ok"})
    assert "model_base_url" in done.data["looks"][-1]["text"]
    assert list(data_dir.iterdir()) == []


def test_half_a_configuration_is_told(steady, monkeypatch):
    monkeypatch.setenv("STEADYHAND_MODEL_BASE_URL", "http://127.0.0.1:1/v1")
    code, found, _ = looked(steady)
    assert (code, found) == (1, {"provider_model_missing": "fail"})


def test_a_model_is_not_asked_by_the_other_looks(steady, served):
    server = served()
    assert steady("doctor").code == 0
    assert server.sent == []


def test_unusable_settings_are_told_and_nothing_is_asked(steady, served, monkeypatch):
    server = served(*FINE)
    monkeypatch.setenv("STEADYHAND_MODEL_TEMPERATURE", "hot")
    done = steady("doctor", "--provider", "--json")
    assert (done.code, levels(done)["setting_bad_value"], server.sent) == (1, "fail", [])


# ---- a server that is fine -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_server_that_can_do_all_is_in_order(steady, served, known, language):
    server = served(*FINE)
    code, found, done = looked(steady, language)
    assert code == 0
    assert found == dict.fromkeys(
        ["model_asked", "model_reached", "model_streams", "model_usage", "model_calls", "model_spent"], "ok"
    )
    plain, tools = (sent.body for sent in server.sent)
    assert "tools" not in plain
    assert [tool["function"]["name"] for tool in tools["tools"]] == ["note_number"]
    assert all(look["text"] for look in done.data["looks"])


def test_in_words_each_line_says_how_it_stands_and_only_the_models_settings_are_listed(steady, served, known):
    served(*FINE)
    out = steady("doctor", "--provider").out
    assert "it streams: 2 pieces" in out
    assert "20 tokens read, 5 written" in out
    assert "Everything is in order." in out
    assert "model_name = small" in out
    assert "lease_seconds" not in out


def test_what_a_turn_would_send_goes_with_the_questions(steady, served):
    server = served(*FINE, model_max_tokens=99, model_temperature=0.5, model_tool_choice="auto")
    assert looked(steady)[0] == 0
    assert [sent.body["max_tokens"] for sent in server.sent] == [99, 99]
    assert [sent.body.get("tool_choice") for sent in server.sent] == [None, "auto"]


def test_a_model_that_calls_at_the_second_asking_is_good_enough(steady, served):
    served(TEXT, TEXT, calling())
    assert looked(steady)[:2] == (
        0,
        dict.fromkeys(["model_asked", "model_reached", "model_streams", "model_usage", "model_calls", "model_not_charged"], "ok"),
    )


# ---- a server that lacks something -----------------------------------------------------------------------------------


def test_a_server_that_answers_in_one_piece_is_to_be_looked_at(steady, served):
    served([event({"content": "one, two"}), event({}, "stop"), USED, DONE], calling())
    code, found, _ = looked(steady)
    assert (code, found["model_one_piece"], found["model_calls"]) == (0, "warn", "ok")


def test_a_server_that_does_not_stream_is_to_be_looked_at(steady, served):
    plain = document({"content": "one, two"}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 2})
    call = {"id": "c", "type": "function", "function": {"name": "note_number", "arguments": '{"number":7}'}}
    served(plain, document({"content": None, "tool_calls": [call]}, "tool_calls"))
    code, found, _ = looked(steady)
    assert (code, found["model_no_stream"], found["model_usage"], found["model_calls"]) == (0, "warn", "ok", "ok")


def test_a_server_that_reports_no_usage_is_to_be_looked_at_and_fails_where_a_cap_relies_on_it(steady, served):
    served(HELLO, calling())
    code, found, _ = looked(steady)
    assert (code, found["model_no_usage"]) == (0, "warn")
    served(HELLO, calling(), model_cost_per_day=1)
    code, found, _ = looked(steady)
    assert (code, found["model_no_usage_capped"]) == (1, "fail")


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ([TEXT, TEXT, TEXT], "model_no_call", "answered in words"),
        ([TEXT, calling('{"number":"seven"}')], "model_call_unusable", "argument"),
        ([TEXT, refusal(400, b'{"error":{"message":"no tools here"}}')], "model_tools_refused", "no tools here"),
        ([TEXT, refusal(500, b'{"error":{"message":"no template"}}')], "model_tools_refused", "no template"),
        ([TEXT, None], "model_unreachable", "127.0.0.1"),
    ],
)
def test_a_model_that_calls_no_tool_fails_and_it_is_said_why(steady, served, script, code, said):
    served(*script)
    ended, found, done = looked(steady)
    assert (ended, found["model_streams"], found[code]) == (1, "ok", "fail")
    assert "model_calls" not in found
    assert said in next(look["text"] for look in done.data["looks"] if look["code"] == code)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (None, "model_unreachable"),
        (refusal(401, b'{"error":{"message":"who are you"}}'), "model_key_wanted"),
        (refusal(402), "model_unpaid"),
        (refusal(403), "model_key_refused"),
        (refusal(404, b'{"error":{"message":"model small not found"}}'), "model_not_found"),
        (refusal(429, retry_after=3600), "model_busy"),
        (refusal(503), "model_failing"),
        (refusal(422, b'{"error":{"message":"temperature"}}'), "model_refused"),
        (refusal(307, location="http://127.0.0.1:9/"), "model_refused"),
        (PAGE, "model_not_compatible"),
        ([b"no event at all\n\n"], "model_not_compatible"),
        ([event({"content": "a"})], "model_unusable"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_makes_asking_on_pointless_is_told_once_with_what_to_do(steady, served, line, code, language):
    server = served(line)
    ended, found, done = looked(steady, language)
    assert (ended, found) == (1, {"model_asked": "ok", code: "fail", "model_not_charged": "ok"})
    assert len(server.sent) == 1
    text = next(look["text"] for look in done.data["looks"] if look["code"] == code)
    assert "{" not in text
    assert not any(word in text for word in ("http_status", "page_of_html", "done_missing"))


def test_a_server_that_is_not_there_is_told(steady, monkeypatch):
    monkeypatch.setenv("STEADYHAND_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("STEADYHAND_MODEL_NAME", "small")
    code, found, done = looked(steady)
    assert (code, found["model_unreachable"]) == (1, "fail")
    assert "127.0.0.1" in done.out


def test_a_server_that_says_nothing_is_given_up(steady, served, monkeypatch):
    monkeypatch.setattr("steadyhand.cli.house.doctor_provider.SECONDS", 0.2)
    server = served(never)
    code, found, _ = looked(steady)
    assert (code, found["model_silent"], len(server.sent)) == (1, "fail", 1)


# ---- the key ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("status", [200, 401, 403, 500])
def test_the_key_is_sent_and_never_shown(steady, served, key, status, form):
    told = b'{"error":{"message":"Incorrect key %s"}}' % KEY.encode()
    server = served(*(FINE if status == 200 else [refusal(status, told)]), **key)
    done = steady("doctor", "--provider", *form)
    assert done.code == (status != 200)
    assert server.sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err


def test_a_wrong_key_is_told_with_where_it_comes_from(steady, served, key):
    served(refusal(401, b'{"error":{"message":"Invalid key"}}'), **key)
    code, found, done = looked(steady)
    assert (code, found["model_key_refused"]) == (1, "fail")
    assert "model_key_env" in done.out
    assert "Invalid key" in done.out


def test_a_key_that_is_not_there_or_lies_open_is_told_and_nothing_is_sent(steady, served, tmp_path):
    server = served(model_key_env="MODEL_KEY")
    assert looked(steady)[:2] == (1, {"model_asked": "ok", "provider_key_missing": "fail", "model_not_charged": "ok"})
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o644)
    again = served(model_key_env="", model_key_file=file)
    code, found, done = looked(steady)
    assert (code, found["provider_key_file_open"]) == (1, "fail")
    assert "chmod 600" in done.out
    assert server.sent + again.sent == []
    assert KEY not in done.out


# ---- what it costs ---------------------------------------------------------------------------------------------------


def charge(store, **spent):
    user = store.read_now(lambda tx: people.require_user(tx, LOCAL_USER))
    day = local(SystemClock().now(), user.zone).date().isoformat()
    store.write_now(lambda tx: spending.add(tx, LOCAL_USER, day, "small", Spent(**spent)))
    return day


def spent_today(store, day):
    return store.read_now(lambda tx: spending.on_day(tx, LOCAL_USER, day))


def values(done, code):
    return next(look["values"] for look in done.data["looks"] if look["code"] == code)


def test_its_own_questions_are_charged_and_the_day_is_told(steady, served, known):
    day = charge(known, requests=3, input_tokens=100, output_tokens=50, cost=0.5)
    served(*FINE, model_price_read=1e4, model_price_written=2e4, model_cost_per_day=9.5)
    code, _, done = looked(steady)
    told = values(done, "model_spent_of")
    assert (code, told["requests"], told["cost"], told["cap"]) == (0, 5, "1.1000", "9.5")
    assert spent_today(known, day).requests == 5
    assert f"today ({day})" in done.out


def test_when_the_cap_is_reached_nothing_is_asked(steady, served, known):
    charge(known, requests=1, cost=2.0)
    server = served(*FINE, model_price_read=1, model_cost_per_day=2)
    code, found, done = looked(steady)
    assert (code, server.sent) == (0, [])
    assert found == {"model_asked": "ok", "model_cap_reached": "warn", "model_spent_all": "warn"}
    assert "2.0000 / 2" in done.out


def test_a_cap_without_prices_is_to_be_looked_at(steady, served, known):
    served(*FINE, model_cost_per_day=2)
    code, found, _ = looked(steady)
    assert (code, found["model_cap_without_prices"]) == (0, "warn")


def test_a_database_that_cannot_be_used_is_told_and_the_model_is_asked_all_the_same(steady, served, data_dir):
    (data_dir / "steadyhand.db").write_bytes(b"no database at all" * 1000)
    served(*FINE)
    done = steady("doctor", "--provider", "--json")
    assert (done.code, levels(done)["store_damaged"], levels(done)["model_calls"]) == (1, "fail", "ok")


def test_nothing_is_made_for_a_look(steady, served, data_dir):
    served(*FINE)
    assert steady("doctor", "--provider").code == 0
    assert list(data_dir.iterdir()) == []


def test_it_speaks_the_stored_persons_language(steady, served, known):
    steady("user", "set", "--language", "zh-CN")
    served(*FINE)
    assert catalogue("zh-CN")["cli.doctor.model_calls"] in steady("doctor", "--provider").out
