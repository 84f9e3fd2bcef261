"""Where a key may come from, to which addresses it may go, and that nobody sees it."""

import os

import pytest

from steadyhand.core.config import Settings
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.explain import explain
from steadyhand.llm.endpoint import Endpoint, KeySource, Secret, endpoint_of, is_near

SECRET = "sk-very-secret-0123456789"  # no real key


def refused(work):
    with pytest.raises(SettingsInvalid) as caught:
        work()
    for language in ("en", "zh-CN"):
        told = explain(caught.value, language)
        assert told.code == caught.value.code
        assert SECRET not in told.text()
    assert SECRET not in str(caught.value)
    return caught.value.code


def test_a_secret_shows_itself_to_nobody():
    secret = Secret(SECRET)
    assert SECRET not in f"{secret} {secret!r} {[secret]} {secret!s:>5}"
    assert secret.reveal() == SECRET
    assert secret.hidden_in(f"bad key {SECRET}!") == "bad key [hidden]!"


def test_no_source_means_that_no_key_is_needed():
    assert KeySource().read() is None


def test_a_key_is_read_from_the_named_variable(monkeypatch):
    monkeypatch.setenv("MODEL_KEY", f" {SECRET}\n")
    assert KeySource("MODEL_KEY").read().reveal() == SECRET


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_named_variable_without_a_key_is_refused(monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("MODEL_KEY", value)
    assert refused(KeySource("MODEL_KEY").read) == "provider_key_missing"


@pytest.mark.parametrize(
    "value", [f"{SECRET} x", f"{SECRET}\r\nX-Other: 1", f"{SECRET}密", f"{SECRET}\x00".replace("\x00", "\x7f")]
)
def test_what_could_not_stand_in_a_header_is_no_key(monkeypatch, value):
    monkeypatch.setenv("MODEL_KEY", value)
    assert refused(KeySource("MODEL_KEY").read) == "provider_key_unusable"


@pytest.fixture
def key_file(tmp_path):
    file = tmp_path / "key"
    file.write_text(f"{SECRET}\n", encoding="utf-8")
    file.chmod(0o600)
    return file


def test_a_key_is_read_from_a_file_of_ours_alone(key_file):
    assert KeySource(file=key_file).read().reveal() == SECRET
    key_file.chmod(0o400)
    assert KeySource(file=key_file).read().reveal() == SECRET


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o601, 0o610])
def test_a_file_that_others_may_touch_is_refused(key_file, mode):
    key_file.chmod(mode)
    assert refused(KeySource(file=key_file).read) == "provider_key_file_open"


def test_a_file_of_somebody_else_is_refused(key_file, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert refused(KeySource(file=key_file).read) == "provider_key_file_open"


def test_a_link_is_not_followed(key_file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(key_file)
    assert refused(KeySource(file=link).read) == "provider_key_file"


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert refused(KeySource(file=tmp_path / "pipe").read) == "provider_key_file_open"
    assert refused(KeySource(file=tmp_path).read) in {"provider_key_file", "provider_key_file_open"}
    assert refused(KeySource(file=tmp_path / "none").read) == "provider_key_file"


def test_an_empty_file_is_no_key(key_file):
    key_file.write_text("", encoding="utf-8")
    assert refused(KeySource(file=key_file).read) == "provider_key_missing"


# ---- addresses -------------------------------------------------------------------------------------------------------


NEAR = ["127.0.0.1:8080", "[::1]:8080", "localhost", "10.0.0.3", "192.168.1.4:11434", "[fd00::1]", "ollama:11434", "box.local"]
FAR = ["models.example", "8.8.8.8", "169.254.169.254", "[::]", "[2001:4860::1]", "localhost.example", "[::ffff:8.8.8.8]"]


@pytest.mark.parametrize(
    "address", ["https://models.example", "https://models.example:8443/deep", *(f"http://{host}" for host in NEAR)]
)
def test_good_addresses(address):
    assert Endpoint(f"{address}/v1", "m").url == f"{address}/v1/chat/completions"
    assert Endpoint(f"{address}/v1/", "m").url == f"{address}/v1/chat/completions"


def test_the_whole_address_of_the_door_may_be_given():
    assert Endpoint("https://models.example/v1/chat/completions", "m").url == "https://models.example/v1/chat/completions"


@pytest.mark.parametrize("host", FAR)
def test_a_key_never_goes_in_the_clear_to_another_network(host):
    assert refused(lambda: Endpoint(f"http://{host}/v1", "m")) == "provider_address_in_the_clear"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "models.example/v1",
        "ftp://models.example/v1",
        "https://",
        f"https://user:{SECRET}@models.example/v1",
        f"https://models.example/v1?key={SECRET}",
        "https://models.example/v1#x",
        "https://models.example:99999/v1",
        "https://[::1/v1",
        "https://models.example/v1 x",
        "https://models.example/\nv1",
    ],
)
def test_bad_addresses_are_refused_in_words(address):
    assert refused(lambda: Endpoint(address, "m")) == "provider_address"


def test_which_hosts_are_near():
    assert is_near("127.0.0.9")
    assert is_near("::ffff:127.0.0.1")
    assert not is_near("models.example")


@pytest.mark.parametrize("key", ["tools", "messages", "stream", "model", "tool_choice", "n"])
def test_what_a_request_decides_cannot_be_added_to_every_body(key):
    assert refused(lambda: Endpoint("https://models.example/v1", "m", extra={key: 1})) == "provider_extra_refused"


# ---- settings --------------------------------------------------------------------------------------------------------


def test_without_an_address_there_is_no_server():
    assert endpoint_of(Settings()) is None


def test_an_address_needs_a_model():
    assert refused(lambda: endpoint_of(Settings(model_base_url="http://127.0.0.1/v1"))) == "provider_model_missing"


def test_settings_become_an_endpoint(tmp_path):
    endpoint = endpoint_of(
        Settings(
            model_base_url="http://127.0.0.1:8080/v1",
            model_name="one",
            model_key_env="MODEL_KEY",
            model_key_file=tmp_path,
            model_timeout_seconds=30,
            model_max_tokens=100,
            model_temperature=0.1,
            model_tool_choice="auto",
            model_reasoning_back="reasoning",
            model_extra_body={"enable_thinking": False},
        )
    )
    assert (endpoint.model, endpoint.key, endpoint.limits.total) == ("one", KeySource("MODEL_KEY", tmp_path), 30)
    assert (endpoint.max_tokens, endpoint.temperature, endpoint.tool_choice) == (100, 0.1, "auto")
    assert (endpoint.reasoning_back, endpoint.extra) == ("reasoning", {"enable_thinking": False})
    assert endpoint_of(Settings(model_base_url="http://127.0.0.1/v1", model_name="one")).tool_choice is None
