"""Decides how JSON lies in a column: canonical text, the same bytes on both databases. It must not interpret it."""

import json
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from steadyhand.core.canonical import Json, canonical


class JsonText(TypeDecorator[Json]):
    """A JSON value as canonical UTF-8 text; SQL NULL stands for no value at all."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        del dialect
        return None if value is None else canonical(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Json:
        del dialect
        return None if value is None else json.loads(value)
