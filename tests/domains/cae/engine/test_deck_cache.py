"""A cache gives back exactly the part that was kept, or nothing: never an error and never another part."""

import json
import zipfile

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains.cae.engine.drawn_parts import parts, told
from domains.cae.engine.plates import stiffened, with_kept_text
from steadyhand.domains.cae.engine.deck import cache
from steadyhand.domains.cae.engine.deck.cache import load_cache, save_cache

DECK = "ab" * 32
IN_ONE_FOLDER = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@given(part=parts())
@IN_ONE_FOLDER
def test_every_field_comes_back(tmp_path, part):
    save_cache(part, tmp_path / "part.npz", DECK)
    found = load_cache(tmp_path / "part.npz", DECK)
    assert found is not None
    assert told(found) == told(part)
    found.mesh.xyz += 1.0  # an operation may write into what it was given


def test_a_cache_of_another_deck_or_format_is_none(tmp_path, monkeypatch):
    path = tmp_path / "part.npz"
    save_cache(stiffened(), path, DECK)
    assert load_cache(path, "cd" * 32) is None
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    assert load_cache(path, DECK) is None


def test_what_is_no_cache_is_none(tmp_path):
    assert load_cache(tmp_path / "absent.npz", DECK) is None
    assert load_cache(tmp_path, DECK) is None
    for content in (b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"not a cache"):
        (tmp_path / "part.npz").write_bytes(content)
        assert load_cache(tmp_path / "part.npz", DECK) is None


@given(at=st.integers(0), put=st.binary(min_size=1, max_size=8), short=st.booleans())
@settings(IN_ONE_FOLDER, max_examples=200)
def test_a_damaged_cache_is_none_or_the_same_part(tmp_path, at, put, short):
    part, path = with_kept_text(stiffened(), np.array([7])), tmp_path / "part.npz"
    save_cache(part, path, DECK)
    data = path.read_bytes()
    begin = at % len(data)
    path.write_bytes(data[:begin] + (b"" if short else put + data[begin + len(put) :]))
    found = load_cache(path, DECK)
    assert found is None or told(found) == told(part)


def test_an_array_that_was_exchanged_for_another_sound_one_is_noticed(tmp_path):
    path = tmp_path / "part.npz"
    save_cache(stiffened(), path, DECK)
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    arrays["xyz"] = arrays["xyz"] + 1.0
    np.savez(path, **arrays)
    assert load_cache(path, DECK) is None


def test_objects_are_never_unpickled(tmp_path):
    path = tmp_path / "part.npz"
    np.savez(path, head=np.array([{"format": 1}], dtype=object), allow_pickle=True)
    assert load_cache(path, DECK) is None


def test_a_cache_is_not_compressed_and_holds_nothing_else(tmp_path):
    save_cache(stiffened(), tmp_path / "part.npz", DECK)
    with zipfile.ZipFile(tmp_path / "part.npz") as stored:
        assert {entry.compress_type for entry in stored.infolist()} == {zipfile.ZIP_STORED}
        head = json.loads(stored.read("head.npy").partition(b"\n")[2])
    assert head["deck"] == DECK
    assert [path.name for path in tmp_path.iterdir()] == ["part.npz"]
