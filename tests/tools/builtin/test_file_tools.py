"""Files are read in bounded parts that say how to read on, and written whole or not at all."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.builtin import reading, replacing
from steadyhand.tools.builtin.editing import edit
from steadyhand.tools.builtin.replacing import rewrite


def put(root, name, data):
    path = root / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


# --- reading ----------------------------------------------------------------------------------------------------------


def test_what_is_read_goes_to_the_model_alone(desk, root):
    put(root, "a.md", "# 计划\nline\n")
    result = desk.call("read_file", path="a.md")
    assert (result.for_llm, result.for_user, result.silent, result.is_error) == ("# 计划\nline\n", "", True, False)
    assert desk.call("read_file", path=str(root / "a.md")).for_llm == result.for_llm


def test_a_long_file_says_how_to_read_on_and_the_parts_are_the_whole(desk, root):
    text = "".join(f"line {number}\n" for number in range(1, 2501))
    put(root, "long", text)
    offset, parts = 1, []
    while offset:
        result = desk.call("read_file", path="long", offset=offset, lines=700)
        part, _, note = result.for_llm.partition("\n\n[")
        parts.append(part.removesuffix("\n"))
        offset = int(note.split("offset=")[1].rstrip("]")) if note else 0
        assert result.data["more"] is bool(note)
    assert "\n".join(parts) + "\n" == text
    assert len(parts) == 4


def test_a_part_is_bounded_by_size_too_and_ends_at_a_line(desk, root):
    put(root, "wide", ("x" * 999 + "\n") * 200)
    result = desk.call("read_file", path="wide")
    assert len(result.for_llm) < reading.WINDOW_BYTES + 200
    assert (result.data["last"], result.data["more"], result.data["line_cut"]) == (65, True, False)
    assert result.for_llm.partition("\n\n")[0].endswith("x")


def test_a_line_that_is_too_long_is_cut_and_said_and_the_next_can_be_read(desk, root):
    put(root, "one", "字" * 50_000 + "\nnext\n")
    result = desk.call("read_file", path="one")
    assert result.data["line_cut"] is True
    assert "\ufffd" not in result.for_llm
    assert "rest is left out" in result.for_llm
    assert "offset=2" in result.for_llm
    assert desk.call("read_file", path="one", offset=2).for_llm == "next\n"


def test_the_last_long_line_says_that_it_was_cut(desk, root):
    put(root, "one", "x" * (reading.WINDOW_BYTES + 10))
    result = desk.call("read_file", path="one")
    assert (result.data["line_cut"], result.data["more"]) == (True, False)
    assert result.for_llm.endswith("]")


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_an_empty_file_says_so(desk, root, language):
    put(root, "none", "")
    assert "none" in desk.call("read_file", language, path="none").for_llm


@pytest.mark.parametrize(("text", "lines"), [("a\nb\n", 2), ("a\nb", 2), ("a\n\n", 2)])
def test_beyond_the_end_the_number_of_lines_is_named(desk, root, text, lines):
    put(root, "two", text)
    result = desk.call("read_file", path="two", offset=4)
    assert (result.code, result.err.params["lines"]) == ("file_ends_before", lines)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x7fELF\0\0", "file_binary"),
        ("课程".encode("gbk"), "file_not_utf8"),
        ("text".encode("utf-16"), "file_binary"),
        (b"\xff\xfe", "file_not_utf8"),
        (b"ok\xe5", "file_not_utf8"),
    ],
)
@pytest.mark.parametrize(
    ("name", "more"), [("read_file", {}), ("append_file", {"content": "x"}), ("edit_file", {"old": "o", "new": "x"})]
)
def test_what_is_no_utf8_text_is_refused_and_stays(desk, root, data, code, name, more):
    path = put(root, "data", data)
    assert desk.call(name, path="data", **more).code == code
    assert path.read_bytes() == data


def test_what_is_not_there_is_not_found(desk):
    for name, more in [("read_file", {}), ("edit_file", {"old": "a", "new": "b"})]:
        assert desk.call(name, path="no/such", **more).code == "path_not_found"
        assert desk.call(name, path="such", **more).code == "path_not_found"
    assert desk.call("list_dir", path="no").code == "path_not_found"


def test_passing_over_lines_is_bounded(desk, root, monkeypatch):
    put(root, "big", "x\n" * 1000)
    monkeypatch.setattr(reading, "MAX_SKIPPED_BYTES", 1000)
    assert desk.call("read_file", path="big", offset=900).code == "file_too_far"


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r\0"), max_size=12), min_size=1, max_size=30
    ),
    st.integers(1, 35),
    st.integers(1, 35),
)
@settings(max_examples=100)
def test_a_window_is_exactly_its_lines(tmp_path_factory, lines, first, most):
    path = tmp_path_factory.mktemp("window") / "file"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    with path.open("rb") as stream:
        if first > len(lines) + 1:
            with pytest.raises(ToolRefusal):
                reading.window(stream, first, most, "file")
            return
        seen = reading.window(stream, first, most, "file")
    assert seen.text == "".join(f"{line}\n" for line in lines[first - 1 : first - 1 + most])
    assert seen.more == (first - 1 + most < len(lines))


# --- listing ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_listed_by_name_with_what_each_thing_is(desk, root):
    (root / "sub").mkdir()
    put(root, "b.txt", "12345")
    put(root, "a\x1b[2J", "1")
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("b.txt")
    result = desk.call("list_dir")
    assert result.for_llm.splitlines() == [
        "a\\u001b[2J (1 byte)",
        "b.txt (5 bytes)",
        "link (a link; not followed)",
        "pipe (neither file nor folder)",
        "sub/",
    ]
    assert (result.silent, result.for_user, result.data["total"]) == (True, "", 5)
    assert desk.call("list_dir", path="sub").for_llm == "The folder sub is empty"


def test_a_name_that_is_no_text_is_listed(desk, root):
    (root / os.fsdecode(b"\xff.txt")).write_bytes(b"")
    assert desk.call("list_dir").for_llm == "\\udcff.txt (0 bytes)"


def test_a_full_folder_says_how_to_go_on(desk, root):
    for number in range(620):
        put(root, f"{number:03}", "")
    first = desk.call("list_dir")
    assert "[Entries 1 to 500 of 620; go on with offset=501]" in first.for_llm
    rest = desk.call("list_dir", offset=501)
    assert [row["name"] for row in rest.data["entries"]] == [f"{number:03}" for number in range(500, 620)]
    assert desk.call("list_dir", offset=700).code == "folder_ends_before"


def test_a_folder_beyond_the_bound_says_that_not_all_was_seen(desk, root, monkeypatch):
    for number in range(6):
        put(root, str(number), "")
    monkeypatch.setattr(reading, "MAX_ENTRIES", 5)
    result = desk.call("list_dir")
    assert "only 5" in result.for_llm
    assert result.data["cut"] is True


def test_what_goes_while_it_is_listed_does_not_break_the_list(desk, root, monkeypatch):
    put(root, "a", "")

    class Gone:
        name = "gone"

        def stat(self, **_more):
            raise FileNotFoundError

    assert reading._entry(Gone()) == reading.Entry("gone", "other", 0)


# --- writing ----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_with_its_folders(desk, root):
    result = desk.call("write_file", path="new/deep/a.txt", content="one\r\ntwo")
    assert (result.silent, result.for_user, result.data["created"]) == (True, "", True)
    assert result.for_llm.splitlines()[0] == "File updated: new/deep/a.txt"
    assert (root / "new/deep/a.txt").read_bytes() == b"one\r\ntwo"
    assert (root / "new/deep").stat().st_mode & 0o777 == 0o700
    assert (root / "new/deep/a.txt").stat().st_mode & 0o777 == 0o600
    assert desk.call("write_file", path="new/deep/a.txt", content="").data["created"] is False
    assert (root / "new/deep/a.txt").read_bytes() == b""
    assert [path.name for path in (root / "new/deep").iterdir()] == ["a.txt"]


def test_the_rights_of_a_file_are_kept_but_never_lent(desk, root):
    put(root, "run.sh", "#!/bin/sh\n").chmod(0o4751)
    desk.call("append_file", path="run.sh", content="echo\n")
    assert (root / "run.sh").stat().st_mode & 0o7777 == 0o751


def test_appending_adds_exactly_what_was_given(desk, root):
    put(root, "a", b"one\r\ntwo")
    assert desk.call("append_file", path="a", content="\r\nthree").for_llm.startswith("File updated: a\n")
    assert (root / "a").read_bytes() == b"one\r\ntwo\r\nthree"
    assert desk.call("append_file", path="sub/b", content="x").data["created"] is True


def test_a_file_has_a_size_beyond_which_it_does_not_grow(desk, root, monkeypatch):
    monkeypatch.setattr(replacing, "MAX_FILE_BYTES", 10)
    put(root, "a", "12345")
    assert desk.call("write_file", path="b", content="x" * 11).code == "file_too_large"
    assert desk.call("append_file", path="a", content="x" * 6).code == "file_too_large"
    put(root, "big", "x" * 11)
    assert desk.call("append_file", path="big", content="x").code == "file_too_large"
    assert sorted(path.name for path in root.iterdir()) == ["a", "big"]
    assert not desk.call("write_file", path="big", content="small").is_error


def test_a_file_that_grows_while_it_is_read_is_bounded(root, workspace, monkeypatch):
    path = put(root, "a", "1234567890")
    real = os.fstat
    monkeypatch.setattr(replacing, "MAX_FILE_BYTES", 10)

    def grows(descriptor):
        seen = real(descriptor)
        with path.open("ab") as stream:
            stream.write(b"x")
        return seen

    monkeypatch.setattr(os, "fstat", grows)
    with pytest.raises(ToolRefusal) as caught:
        rewrite(workspace, "a", lambda before: before)
    assert caught.value.code == "file_too_large"


@pytest.mark.parametrize("how", ["content", "replaced", "gone", "new"])
def test_what_somebody_else_changed_meanwhile_is_not_overwritten(root, workspace, how):
    path = root / "a"
    if how != "new":
        put(root, "a", "before")

    def change(_before):
        if how == "replaced":
            path.unlink()
            put(root, "keep_inode_busy", "before")
            put(root, "a", "before")
        elif how == "gone":
            path.unlink()
        else:
            put(root, "a", "theirs")
        return b"mine"

    with pytest.raises(ToolRefusal) as caught:
        rewrite(workspace, "a", change)
    assert caught.value.code == "file_changed_meanwhile"
    assert not path.exists() or path.read_bytes() in {b"before", b"theirs"}


def test_a_folder_that_another_process_holds_is_not_waited_for_without_end(root, workspace, monkeypatch):
    monkeypatch.setattr(replacing, "_TRIES", 2)

    def inner(before):
        return rewrite(workspace, "a", lambda _before: b"x") and b""

    with pytest.raises(ToolRefusal) as caught:
        rewrite(workspace, "b", inner)
    assert caught.value.code == "file_busy"


# --- editing ----------------------------------------------------------------------------------------------------------


def test_an_edit_replaces_the_one_place_and_says_where(desk, root):
    put(root, "a", "one\ntwo\nthree\n")
    result = desk.call("edit_file", path="a", old="two", new="2\n2.5")
    assert (root / "a").read_text(encoding="utf-8") == "one\n2\n2.5\nthree\n"
    assert (result.silent, result.for_user) == (True, "")
    assert result.for_llm.splitlines() == ["File edited: a", "1 place replaced (line before the edit: 2); now 16 bytes"]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize(
    ("old", "code", "told"),
    [
        ("nowhere", "edit_not_found", "0"),
        ("a", "edit_several", "3"),
        ("aba", "edit_several", "2"),
        ("x", "edit_changes_nothing", "old"),
    ],
)
def test_an_edit_that_is_not_clear_names_the_count_and_writes_nothing(desk, root, language, old, code, told):
    path = put(root, "f", "aba\nba x\n") if old != "aba" else put(root, "f", "ababa\n")
    before = path.read_bytes()
    result = desk.call("edit_file", language, path="f", old=old, new="x")
    assert (result.is_error, result.code) == (True, code)
    assert told in result.for_llm
    assert path.read_bytes() == before


def test_every_place_is_replaced_when_asked_for(desk, root):
    put(root, "a", "x\n" * 12)
    result = desk.call("edit_file", path="a", old="x", new="yy", replace_all=True)
    assert (root / "a").read_text(encoding="utf-8") == "yy\n" * 12
    assert "12 places" in result.for_llm
    assert "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …" in result.for_llm


def test_windows_line_ends_stay_and_are_met_by_plain_ones(desk, root):
    put(root, "a", b"one\r\ntwo\r\nthree\r\n")
    assert not desk.call("edit_file", path="a", old="one\ntwo", new="1\n2").is_error
    assert (root / "a").read_bytes() == b"1\r\n2\r\nthree\r\n"


def test_mixed_line_ends_are_taken_literally(desk, root):
    put(root, "a", b"one\r\ntwo\nthree\r\n")
    assert desk.call("edit_file", path="a", old="one\ntwo", new="x").code == "edit_not_found"
    assert not desk.call("edit_file", path="a", old="one\r\ntwo", new="x").is_error
    assert (root / "a").read_bytes() == b"x\nthree\r\n"


def test_an_edit_that_would_burst_the_file_is_refused_before_it_is_made():
    with pytest.raises(ToolRefusal) as caught:
        edit("a" * 1_000_000, "a", "b" * 1_000_000, replace_all=True, most_bytes=4 << 20, told="a")
    assert caught.value.code == "file_too_large"


@given(st.text("ab\n", max_size=30), st.text("ab\n", min_size=1, max_size=3), st.text("abc", max_size=3), st.booleans())
@settings(max_examples=200)
def test_an_edit_is_exact_or_refused(text, old, new, replace_all):
    starts = [at for at in range(len(text)) if text.startswith(old, at)]
    fits = old != new and (len(starts) == 1 or (replace_all and starts))
    if fits:
        edited = edit(text, old, new, replace_all=replace_all, most_bytes=10_000, told="f")
        assert (edited.text, edited.count) == (text.replace(old, new), text.count(old))
        return
    with pytest.raises(ToolRefusal) as caught:
        edit(text, old, new, replace_all=replace_all, most_bytes=10_000, told="f")
    assert caught.value.code == "edit_changes_nothing" if old == new else "edit_several" if starts else "edit_not_found"
