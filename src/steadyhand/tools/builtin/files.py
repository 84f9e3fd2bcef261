"""Decides what the file tools take and tell: what is read goes to the model alone, what is written is told in a line. It must not touch the disk itself."""

import asyncio
import os
from typing import Any

from pydantic import Field

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language, say
from steadyhand.core.visible import visible
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.editing import Edited, edit
from steadyhand.tools.builtin.paths import joined
from steadyhand.tools.builtin.reading import WINDOW_BYTES, Entry, Window, entries, text_of, window
from steadyhand.tools.builtin.replacing import MAX_FILE_BYTES, Replaced, rewrite, write_whole
from steadyhand.tools.builtin.workspace import Workspace, open_file, refusing
from steadyhand.tools.result import ToolResult, silent_result

MAX_PATH = 4096
MAX_LISTED = 500


class ReadFile(Arguments):
    """One part of one file."""

    path: str = Field(min_length=1, max_length=MAX_PATH)
    offset: int = Field(default=1, ge=1, le=1_000_000_000, description="first line")
    lines: int = Field(default=1000, ge=1, le=5000, description="lines at most")


class ListDir(Arguments):
    """One folder; without a path the workspace itself."""

    path: str = Field(default=".", min_length=1, max_length=MAX_PATH)
    offset: int = Field(default=1, ge=1, le=1_000_000, description="first entry")


class WriteFile(Arguments):
    """A whole file."""

    path: str = Field(min_length=1, max_length=MAX_PATH)
    content: str


class AppendFile(Arguments):
    """Text for the end of a file."""

    path: str = Field(min_length=1, max_length=MAX_PATH)
    content: str = Field(min_length=1)


class EditFile(Arguments):
    """A passage as it stands and as it is to stand."""

    path: str = Field(min_length=1, max_length=MAX_PATH)
    old: str = Field(min_length=1)
    new: str
    replace_all: bool = False


def file_tools(workspace: Workspace) -> tuple[Tool[Any], ...]:
    """Return the tools that read and write the files of *workspace*."""
    return (_read_tool(workspace), _list_tool(workspace), _write_tool(workspace), _append_tool(workspace), _edit_tool(workspace))


def _read_tool(workspace: Workspace) -> Tool[ReadFile]:
    def work(arguments: ReadFile) -> tuple[str, Window]:
        parts = workspace.parts(arguments.path)
        told = joined(parts)
        with workspace.folder(parts[:-1]) as folder:
            file = open_file(folder, parts[-1], told)
        if file is None:
            raise ToolRefusal("path_not_found", path=told)
        with refusing(told), os.fdopen(file, "rb") as stream:
            return told, window(stream, arguments.offset, arguments.lines, told)

    async def body(context: ToolContext, arguments: ReadFile) -> ToolResult:
        told, seen = await asyncio.to_thread(work, arguments)
        data = {"path": told, "first": seen.first, "last": seen.last, "more": seen.more, "line_cut": seen.line_cut}
        return silent_result(_window_told(context.language, told, seen), data=data)

    return Tool("read_file", "read", ReadFile, body)


def _window_told(language: Language, told: str, seen: Window) -> str:
    if seen.last < seen.first:
        return say(language, "files.nothing_to_read", path=told)
    notes: list[str] = []
    if seen.line_cut:
        notes.append(say(language, "files.line_cut", line=seen.first, kib=WINDOW_BYTES >> 10))
    if seen.more:
        notes.append(say(language, "files.more_lines", first=seen.first, last=seen.last, next=seen.last + 1))
    return "\n\n".join([seen.text.removesuffix("\n"), *notes]) if notes else seen.text


def _list_tool(workspace: Workspace) -> Tool[ListDir]:
    def work(arguments: ListDir) -> tuple[str, list[Entry], bool]:
        parts = workspace.parts(arguments.path, folder=True)
        told = joined(parts)
        with workspace.folder(parts) as folder, refusing(told):
            return told, *entries(folder)

    async def body(context: ToolContext, arguments: ListDir) -> ToolResult:
        told, found, cut = await asyncio.to_thread(work, arguments)
        begin = arguments.offset - 1
        if begin and begin >= len(found):
            raise ToolRefusal("folder_ends_before", path=told, entries=len(found))
        part = found[begin : begin + MAX_LISTED]
        text = _list_told(context.language, told, part, len(found), begin)
        if cut:
            text = f"{text}\n\n{say(context.language, 'files.folder_too_large', entries=len(found))}"
        rows = [{"name": visible(one.name, keep="\u3000"), "kind": one.kind, "size": one.size} for one in part]
        return silent_result(text, data={"path": told, "entries": rows, "total": len(found), "cut": cut})

    return Tool("list_dir", "read", ListDir, body)


def _list_told(language: Language, told: str, part: list[Entry], total: int, begin: int) -> str:
    if not part:
        return say(language, "files.folder_empty", path=told)
    lines = [say(language, f"files.entry.{one.kind}", name=visible(one.name, keep="\u3000"), size=one.size) for one in part]
    end = begin + len(part)
    if end < total:
        lines += ["", say(language, "files.more_entries", first=begin + 1, last=end, total=total, next=end + 1)]
    return "\n".join(lines)


def _write_tool(workspace: Workspace) -> Tool[WriteFile]:
    async def body(context: ToolContext, arguments: WriteFile) -> ToolResult:
        done = await asyncio.to_thread(write_whole, workspace, arguments.path, arguments.content.encode())
        note = "files.made" if done.created else "files.replaced"
        return _updated(done, say(context.language, note, size=done.size), context.language)

    return Tool("write_file", "workspace", WriteFile, body)


def _append_tool(workspace: Workspace) -> Tool[AppendFile]:
    async def body(context: ToolContext, arguments: AppendFile) -> ToolResult:
        added = arguments.content.encode()
        told = joined(workspace.parts(arguments.path))

        def change(before: bytes | None) -> bytes:
            text_of(before or b"", told)
            return (before or b"") + added

        done = await asyncio.to_thread(rewrite, workspace, arguments.path, change, make=True)
        return _updated(done, say(context.language, "files.appended", added=len(added), size=done.size), context.language)

    return Tool("append_file", "workspace", AppendFile, body)


def _edit_tool(workspace: Workspace) -> Tool[EditFile]:
    async def body(context: ToolContext, arguments: EditFile) -> ToolResult:
        made: list[Edited] = []
        told = joined(workspace.parts(arguments.path))

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise ToolRefusal("path_not_found", path=told)
            edited = edit(
                text_of(before, told),
                arguments.old,
                arguments.new,
                replace_all=arguments.replace_all,
                most_bytes=MAX_FILE_BYTES,
                told=told,
            )
            made.append(edited)
            return edited.text.encode()

        done = await asyncio.to_thread(rewrite, workspace, arguments.path, change)
        note = say(context.language, "files.edit_note", count=made[0].count, lines=made[0].lines, size=done.size)
        text = say(context.language, "files.edited", path=done.path)
        return silent_result(f"{text}\n{note}", data={"path": done.path, "size": done.size, "count": made[0].count})

    return Tool("edit_file", "workspace", EditFile, body)


def _updated(done: Replaced, note: str, language: Language) -> ToolResult:
    text = say(language, "files.updated", path=done.path)
    return silent_result(f"{text}\n{note}", data={"path": done.path, "size": done.size, "created": done.created})
