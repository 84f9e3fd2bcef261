"""A message's segments read as one text, in either form; a long text is cut so that nothing is lost."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onebot_simulator.simulator import as_codes, segment, text
from steadyhand.channels.onebot.segments import MOST_SEGMENTS, Heard, read, split, written
from steadyhand.session.reading import bare, command


@pytest.mark.parametrize(
    ("segments", "zh", "en"),
    [
        ([text("你好"), text("，world")], "你好，world", "你好，world"),
        ([segment("image", file="a.png", url="http://x/y")], "[图片]", "[picture]"),
        ([segment("image", file="a.gif", summary="[动画表情]")], "[图片：动画表情]", "[picture: 动画表情]"),
        ([segment("face", id="178")], "[表情：178]", "[emoji: 178]"),
        ([segment("mface", summary="[笑]")], "[表情包：笑]", "[sticker: 笑]"),
        ([segment("record", file="a.amr")], "[语音]", "[voice message]"),
        ([segment("video", file="a.mp4")], "[视频]", "[video]"),
        ([segment("file", name="论文.docx", file_id="x")], "[文件：论文.docx]", "[file: 论文.docx]"),
        ([segment("file", file="thesis.pdf")], "[文件：thesis.pdf]", "[file: thesis.pdf]"),
        ([segment("forward", id="x")], "[合并转发]", "[forwarded messages]"),
        ([segment("json", data=json.dumps({"prompt": "[分享]一首歌"}))], "[卡片：分享一首歌]", "[card: 分享一首歌]"),
        ([segment("json", data="{broken")], "[卡片]", "[card]"),
        ([segment("json", data="[1]")], "[卡片]", "[card]"),
        ([segment("at", qq="10001"), text("在吗")], "@10001 在吗", "@10001 在吗"),
        ([segment("at", qq="all"), text("hi")], "@全体成员 hi", "@everybody hi"),
        ([segment("share", url="http://x", title="A page")], "[链接：A page]", "[link: A page]"),
        ([segment("poke", type="1", id="-1")], "[戳一戳]", "[nudge]"),
        ([segment("dice", result="3")], "[骰子：3]", "[dice: 3]"),
        ([segment("hologram", a=1)], "[无法读取的内容：hologram]", "[something that I cannot read: hologram]"),
        ([segment("a]b\n" + "x" * 200)], "[无法读取的内容：ab " + "x" * 77 + "]", None),
        ([segment("reply", id="42"), text("  yes  ")], "yes", "yes"),
    ],
)
def test_every_kind_of_segment_has_its_words(segments, zh, en):
    assert read(segments, "zh-CN").text == zh
    assert en is None or read(segments, "en").text == en


@pytest.mark.parametrize("value", [42, "42", -7])
def test_a_reply_says_what_it_quotes(value):
    assert read([segment("reply", id=value), text("x")], "en") == Heard("x", str(value))
    assert read(f"[CQ:reply,id={value}]x", "en") == Heard("x", str(value))


def test_the_string_form_is_unescaped_once():
    assert read("a &#91;b&#93; &amp;#91; [CQ:file,name=x&#44;y&amp;&#91;z&#93;.txt] [no code] [CQ:", "en").text == (
        "a [b] &#91; [file: x,y&z.txt] [no code] [CQ:"
    )


def test_one_segment_alone_is_a_message_too():
    assert read(text("hi"), "en").text == "hi"


@pytest.mark.parametrize(
    "odd", [None, 7, [], {}, [None], [[text("x")]], [{"type": "text"}], [{"type": "text", "data": "x"}], [{"data": {}}]]
)
def test_what_is_no_message_reads_as_nothing(odd):
    assert read(odd, "en") == Heard("")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
KINDS = st.sampled_from(["image", "face", "at", "record", "file", "json", "hologram", "reply"])
DATA = st.dictionaries(st.sampled_from(["id", "qq", "file", "name", "summary", "data"]), WORDS, max_size=3)
SEGMENTS = st.lists(st.one_of(WORDS.map(text), st.builds(lambda kind, data: segment(kind, **data), KINDS, DATA)), max_size=6)


@settings(max_examples=300)
@given(SEGMENTS)
def test_both_forms_read_the_same(segments):
    assert read(as_codes(segments), "zh-CN") == read(segments, "zh-CN")


@settings(max_examples=300)
@given(st.lists(st.builds(lambda kind, data: segment(kind, **data), KINDS, DATA), min_size=1, max_size=3))
def test_without_a_text_segment_nothing_decides(segments):
    words = read(segments, "en").text
    assert bare(words) is None
    assert command(words) is None


@given(st.text(), st.sampled_from(["en", "zh-CN"]))
def test_whatever_comes_as_text_can_be_read(message, language):
    read(message, language).text.encode()


def test_only_so_many_segments_are_read():
    assert len(read([text("x")] * (MOST_SEGMENTS + 50), "en").text) == MOST_SEGMENTS


@settings(max_examples=300)
@given(st.text(st.sampled_from("ab 。，\n. "), max_size=400), st.integers(2, 50))
def test_parts_are_short_enough_and_lose_nothing_but_blanks(words, most):
    parts = split(words, most)
    assert all(0 < len(part) <= most for part in parts)
    assert "".join("".join(parts).split()) == "".join(words.split())


def test_a_text_is_cut_where_something_ends():
    assert split("First sentence. Second sentence. Third", 34) == ["First sentence. Second sentence.", "Third"]
    assert split("第一句话。第二句话。第三句话。", 11) == ["第一句话。第二句话。", "第三句话。"]
    assert split("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert split("short") == ["short"]
    assert split("   ") == []


def test_a_text_goes_out_as_it_is_behind_what_it_quotes():
    assert written("[CQ:at,qq=all] & more") == [{"type": "text", "data": {"text": "[CQ:at,qq=all] & more"}}]
    assert written("x", "9")[0] == {"type": "reply", "data": {"id": "9"}}
