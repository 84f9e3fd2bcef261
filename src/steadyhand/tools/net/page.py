"""Decides what of a web page is read as text: headings, lists, links and tables stay, what runs or is not shown goes. It must not fetch.

The number of tags is bounded first, since building the tree of deeply nested tags costs their square.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from steadyhand.tools.outside import cleaned, one_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_TAGS = 30_000
MAX_LINK = 300
MAX_TITLE = 200
_TAG = re.compile(r"<[a-zA-Z/!]")
_UNSEEN = frozenset(
    {
        "script",
        "style",
        "nav",
        "noscript",
        "template",
        "svg",
        "math",
        "iframe",
        "object",
        "canvas",
        "head",
        "select",
        "button",
        "dialog",
    }
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = frozenset(
    {
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "caption",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figcaption",
        ),
        *("figure", "footer", "form", "header", "hr", "html", "main", "ol", "p", "pre", "section", "summary", "table", "tbody"),
        *("td", "tfoot", "th", "thead", "tr", "ul", "li", *_HEADINGS),
    }
)
_PARAGRAPHS = frozenset({"p", "blockquote", "pre", "table", "ul", "ol", "dl", "article", "section", "figure", *_HEADINGS})
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text; *cut* says that it had more tags than are read."""

    title: str
    text: str
    cut: bool


def page_of(html: str, url: str) -> Page:
    """Read *html*, which was found at *url*."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  # only pages need it

    html, cut = _bounded(html)
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    root = tree.body or tree.root
    text = "" if root is None else _Writer(url).write(root)
    return Page("" if title is None else one_line(title.text(deep=True), MAX_TITLE), text, cut)


def _bounded(html: str) -> tuple[str, bool]:
    for number, found in enumerate(_TAG.finditer(html)):
        if number == MAX_TAGS:
            return html[: found.start()], True
    return html, False


@dataclass(slots=True)
class _Writer:
    """Walks a tree without recursion, since a page may nest as deep as it likes."""

    url: str
    parts: list[str] = field(default_factory=list[str])
    links: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    deep: int = 0
    kept_as_is: int = 0

    def write(self, root: "LexborNode") -> str:
        node: LexborNode | None = root
        while node is not None:
            inner = self._enter(node)
            if inner is not None:
                node = inner
                continue
            while node is not None and node.mem_id != root.mem_id and node.next is None:
                node = node.parent
                if node is not None:
                    self._leave(node)
            node = None if node is None or node.mem_id == root.mem_id else node.next
        return self._text()

    def _enter(self, node: "LexborNode") -> "LexborNode | None":
        """Write what stands before the inside of *node*; return its first child when the inside is to be read."""
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
            return None
        if tag.startswith(("-", "_", "!")) or tag in _UNSEEN or _hidden(node):
            return None
        if tag == "br":
            self.parts.append("\n")
        elif tag == "img":
            self._say(f" {(node.attributes.get('alt') or '').strip()} ")
        self._open(tag, node)
        inner = node.first_child
        if inner is None:
            self._leave(node)
        return inner

    def _open(self, tag: str, node: "LexborNode") -> None:
        if tag in {"td", "th"}:
            self._say(" | " if _follows_a_cell(node) else "")
            return
        if tag in _BLOCKS:
            self._break(tag)
        if tag in _HEADINGS:
            self.parts.append(f"{_HEADINGS[tag]} ")
        elif tag == "li":
            self.parts.append(f"{'  ' * min(max(self.deep - 1, 0), 5)}- ")
        elif tag in {"ul", "ol"}:
            self.deep += 1
        elif tag == "pre":
            self.kept_as_is += 1
        elif tag == "a":
            self.links.append((len(self.parts), self._target(node)))

    def _leave(self, node: "LexborNode") -> None:
        tag = node.tag or ""
        if tag in {"ul", "ol"}:
            self.deep -= 1
        elif tag == "pre":
            self.kept_as_is -= 1
        elif tag == "a" and self.links:
            begun, target = self.links.pop()
            inner = " ".join("".join(self.parts[begun:]).split())
            if target and inner and inner != target:
                self.parts[begun:] = [f"[{inner}]({target})"]
        if tag in _BLOCKS and tag not in {"td", "th"}:
            self._break(tag)

    def _break(self, tag: str) -> None:
        """End the line, and leave one empty where a paragraph begins or ends."""
        last = self.parts[-1] if self.parts else "\n\n"
        wanted = 2 if tag in _PARAGRAPHS and not (tag in {"ul", "ol"} and self.deep) else 1
        there = len(last) - len(last.rstrip("\n"))
        if wanted > there:
            self.parts.append("\n" * wanted)

    def _say(self, text: str) -> None:
        if self.kept_as_is:
            self.parts.append(text)
            return
        text = _BLANKS.sub(" ", text)
        if not self.parts or self.parts[-1].endswith(("\n", " ")):
            text = text.removeprefix(" ")
        if text:
            self.parts.append(text)

    def _target(self, node: "LexborNode") -> str:
        written = (node.attributes.get("href") or "").strip()
        if not written or written.startswith("#"):
            return ""
        try:
            target = urljoin(self.url, written)
        except ValueError:
            return ""
        fits = target.startswith(("http://", "https://")) and len(target) <= MAX_LINK
        return target.replace(" ", "%20").replace(")", "%29") if fits else ""

    def _text(self) -> str:
        lines = (line.rstrip() for line in cleaned("".join(self.parts)).split("\n"))
        return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def _hidden(node: "LexborNode") -> bool:
    given = node.attributes
    return "hidden" in given or given.get("aria-hidden") == "true" or bool(_NOT_SHOWN.search(given.get("style") or ""))


def _follows_a_cell(node: "LexborNode") -> bool:
    before = node.prev
    while before is not None and before.tag == "-text":
        before = before.prev
    return before is not None and before.tag in {"td", "th"}
