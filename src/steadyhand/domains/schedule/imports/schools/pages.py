"""Decides what a saved web page says as a table of cells: text in lines, spans unfolded. It must not run, fetch or follow anything.

Bounds come first: the size of the page and the number of its tags, since building the tree of deeply nested tags costs
their square; then the cells of a table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.dates import read_day

MAX_PAGE_CHARS = 1_000_000
MAX_TAGS = 20_000
MAX_CELLS = 5_000
_MOST_SPANNED = 60
_HEAD_ROWS = 2
_MOST_TABLES = 300
HARD_SPACE = "\xa0"
_TAG = re.compile(r"<[a-zA-Z/!]")
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "hr"})
_UNSEEN = frozenset({"script", "style"})


@dataclass(slots=True)
class Cell:
    """One cell of a table: where it stands (from 0), how many rows it spans, and its node."""

    row: int
    column: int
    rows: int
    node: LexborNode


@dataclass(slots=True)
class Grid:
    """The cells of one table."""

    cells: list[Cell] = field(default_factory=list[Cell])

    def days(self) -> dict[int, int]:
        """Return the day of the week of each column that a cell of the first rows names."""
        found: dict[int, int] = {}
        for cell in self.cells:
            day = read_day(joined(cell.node)) if cell.row <= _HEAD_ROWS else None
            if day is not None and not joined(cell.node).isdigit():
                found.setdefault(cell.column, day)
        return found


def tree_of(text: str) -> LexborHTMLParser | None:
    """Return the tree of a page; None when *text* is no page. One too large or with too many tags raises `ModelCanFix`."""
    head = text[:2_000].lower()
    if "<html" not in head and "<table" not in text.lower() and "<!doctype" not in head:
        return None
    if len(text) > MAX_PAGE_CHARS:
        raise ModelCanFix("import_page_too_large", limit=MAX_PAGE_CHARS)
    if sum(1 for _ in _TAG.finditer(text)) > MAX_TAGS:
        raise ModelCanFix("import_page_too_large", limit=MAX_TAGS)
    return LexborHTMLParser(text)


def innermost(tree: LexborHTMLParser) -> list[LexborNode]:
    """Return the tables of a page that hold no table, in the order of the page."""
    tables = tree.css("table")[:_MOST_TABLES]
    outer = {parent.mem_id for table in tables for parent in _above(table)}
    return [table for table in tables if table.mem_id not in outer]


def _above(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None:
        if parent.tag == "table":
            yield parent
            return
        parent = parent.parent


def grid_of(table: LexborNode) -> Grid:
    """Lay the cells of *table* out, those of inner tables left out."""
    grid, taken = Grid(), dict[tuple[int, int], bool]()
    for number, row in enumerate(_rows(table)):
        column = 0
        for node in _children(row, {"td", "th"}):
            while (number, column) in taken:
                column += 1
            rows, columns = _span(node, "rowspan"), _span(node, "colspan")
            if len(grid.cells) >= MAX_CELLS or len(taken) >= 4 * MAX_CELLS:
                return grid
            grid.cells.append(Cell(number, column, rows, node))
            taken |= {(number + down, column + right): True for down in range(rows) for right in range(columns)}
            column += columns
    return grid


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in _children(table, {"tr", "tbody", "thead", "tfoot"}):
        if part.tag == "tr":
            yield part
        else:
            yield from _children(part, {"tr"})


def _children(node: LexborNode, tags: set[str]) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        if child.tag in tags:
            yield child
        child = child.next


def _span(node: LexborNode, name: str) -> int:
    written = (node.attributes.get(name) or "").strip()
    return (
        min(int(written), _MOST_SPANNED) if written.isascii() and written.isdigit() and len(written) < 4 and int(written) else 1
    )


def lines_of(node: LexborNode) -> list[str]:
    """Return the text of *node* in lines as its breaks cut it; a line of nothing but a hard space keeps that, as a field left empty."""
    lines = [""]
    for one in node.traverse(include_text=True):
        if one.mem_id == node.mem_id:
            continue
        if one.tag == "-text" and (one.parent is None or one.parent.tag not in _UNSEEN):
            lines[-1] += one.text_content or ""
        elif one.tag in _BREAKS:
            lines.append("")
    return [" ".join(line.split()) or (HARD_SPACE if HARD_SPACE in line else "") for line in lines]


def joined(node: LexborNode) -> str:
    """Return the text of *node* on one line."""
    return " ".join(line for line in lines_of(node) if line.strip())
