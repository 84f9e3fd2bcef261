"""Decides which resources an MCP client may read, and what each holds. It must not read those of another person."""

import asyncio
import json
import re
from collections.abc import Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import change_name, parse_change_name
from steadyhand.domains.schedule.term.records import Records
from steadyhand.gate.lines import line
from steadyhand.gate.review import review_text
from steadyhand.server.mcp_parts import Parts, plain, whole
from steadyhand.server.mcp_timetable import Teller, Told
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people

SCHEME = "steadyhand://"
TERM, DRAFT, CHANGES = f"{SCHEME}term", f"{SCHEME}draft", f"{SCHEME}changes"
WEEK, CHANGE = f"{SCHEME}timetable/week/", f"{SCHEME}changes/"
TEXT, JSON = "text/plain", "application/json"
NOT_FOUND = -32002
"""The protocol's own number for a resource that is not there."""
MOST_CHANGES = 50
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")


class Resources:
    """The resources of one person."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tell = Teller(parts.language)

    async def listed(self) -> list[types.Resource]:
        """Return the term, its weeks, the draft's difference and the changes; without a term its part is left out."""
        listed = self._resource(CHANGES, "changes")
        try:
            term = await self._parts.drafting.term(self._parts.user.id)
        except ToolRefusal:
            return [listed]
        weeks = [self._resource(f"{WEEK}{week}", "week", week=week) for week in range(1, term.weeks + 1)]
        return [self._resource(TERM, "term"), self._resource(DRAFT, "draft"), listed, *weeks]

    def templates(self) -> list[types.ResourceTemplate]:
        """Return the forms of addresses that stand for several resources."""
        return [
            types.ResourceTemplate(
                uri_template=address,
                name=name,
                title=self._parts.say(f"resource.{name}_template.title"),
                description=self._parts.say(f"resource.{name}_template.description"),
                mime_type=TEXT,
            )
            for address, name in ((f"{WEEK}{{n}}", "week"), (f"{CHANGE}{{name}}", "change"))
        ]

    def _resource(self, uri: str, name: str, **params: object) -> types.Resource:
        return types.Resource(
            uri=uri,
            name=uri.removeprefix(SCHEME),
            title=self._parts.say(f"resource.{name}.title", **params),
            description=self._parts.say(f"resource.{name}.description", **params),
            mime_type=TEXT,
        )

    async def read(self, uri: str) -> types.ReadResourceResult:
        """Return a resource as text and, beside it, the same as JSON."""
        text, data = await self._told(uri)
        return types.ReadResourceResult(
            contents=[
                types.TextResourceContents(uri=uri, mime_type=TEXT, text=whole(text)),
                types.TextResourceContents(uri=uri, mime_type=JSON, text=json.dumps(plain(data), ensure_ascii=False)),
            ]
        )

    async def _told(self, uri: str) -> Told:
        user = self._parts.user.id
        if uri == CHANGES:
            return await self._changes()
        if uri.startswith(CHANGE) and (number := parse_change_name(uri.removeprefix(CHANGE))) is not None:
            return await self._change(number)
        if uri == DRAFT:
            return self._tell.draft(await self._parts.drafting.look(user))
        week = _NUMBER.fullmatch(uri.removeprefix(WEEK)) if uri.startswith(WEEK) else None
        if uri != TERM and week is None:
            raise self._absent(uri)
        records = await self._parts.drafting.records(user)
        draft = await self._parts.drafting.look(user)
        if week is None:
            return self._tell.term(records, draft)
        return self._tell.week(records, draft, self._week(uri, records, int(week[0])))

    def _week(self, uri: str, records: Records, week: int) -> int:
        if week > records.term.weeks:
            raise self._absent(uri)
        return week

    def _absent(self, uri: str) -> MCPError:
        return MCPError(NOT_FOUND, self._parts.say("no_resource"), {"uri": whole(uri[:200])})

    async def _changes(self) -> Told:
        rows = await self._parts.store.read(lambda tx: changes.of_user(tx, self._parts.user.id, limit=MOST_CHANGES))
        text = "\n".join(line(row, self._parts.language) for row in rows) or self._parts.say("no_changes")
        return text, {"changes": [self._data(row) for row in rows]}

    async def _change(self, number: int) -> Told:
        parts = self._parts
        row = await parts.controller.current(parts.user.id, number)
        zone = (await parts.store.read(lambda tx: people.require_user(tx, parts.user.id))).zone
        text = await asyncio.to_thread(review_text, parts.controller, row, parts.language, zone)
        view = parts.controller.view(row, parts.language)
        return text, {**self._data(row), "view": None if view is None else view.payload}

    def _data(self, row: ChangeRow) -> Mapping[str, Json]:
        return {
            "name": change_name(row.number),
            "number": row.number,
            "state": row.state,
            "line": line(row, self._parts.language),
            "domain": row.domain,
            "request": row.request,
            "seal_digest": row.seal_digest,
            "expires_at": row.expires_at,
            "undo_of": row.undo_of,
        }
