"""Arguments fit a schema by names and types, as real tools write them: with references, choices and lists."""

import pytest
from pydantic import BaseModel, Field

from steadyhand.llm.fitting import misfit
from steadyhand.tools.base import Arguments


class Move(BaseModel):
    task: int
    day: int | None = None


class Plan(Arguments):
    moves: list[Move]
    note: str = ""
    share: float = 0.5
    names: dict[str, int] = Field(default_factory=dict)
    first: Move | None = None


SCHEMA = Plan.model_json_schema()


@pytest.mark.parametrize(
    "good",
    [
        {"moves": []},
        {"moves": [{"task": 1}, {"task": 2, "day": None}], "note": "x", "share": 1},
        {"moves": [{"task": 1.0}], "names": {"a": 1}, "first": {"task": 1}},
        {"moves": [], "first": None},
    ],
)
def test_what_fits_fits(good):
    assert misfit(good, SCHEMA) is None


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ({}, "moves"),
        ({"moves": "[]"}, "moves"),
        ({"moves": [], "others": 1}, "others"),
        ({"moves": [{"task": "1"}]}, "moves[0].task"),
        ({"moves": [{"task": 1}, {}]}, "moves[1].task"),
        ({"moves": [{"task": True}]}, "moves[0].task"),
        ({"moves": [], "share": "0.5"}, "share"),
        ({"moves": [], "note": None}, "note"),
        ({"moves": [], "names": {"a": 1.5}}, "names.a"),
        ({"moves": [], "first": {"task": "x"}}, "first"),
    ],
)
def test_what_does_not_fit_is_named(bad, place):
    assert misfit(bad, SCHEMA) == place


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({}, {"a": 1}, True),
        ({"additionalProperties": False}, {"a": 1}, False),
        ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}, True),
        ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": 1}, False),
        ({"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}, {"a": []}, False),
        ({"properties": {"a": {"allOf": [{"type": "object"}, {"required": ["b"]}]}}}, {"a": {}}, False),
        ({"properties": {"a": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}}}, {"a": ["x", 1]}, True),
        ({"properties": {"a": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}}}, {"a": ["x", "y"]}, False),
        ({"properties": {"a": False}}, {"a": 1}, False),
        ({"properties": {"a": {"$ref": "https://elsewhere.example/x"}}}, {"a": 1}, True),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, {"a": 1}, True),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, {"a": 1}, True),
        ({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}, {"a": 1}, False),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"x1": 1}, True),
        ({"properties": {"a": {"type": "unheard of"}}}, {"a": 1}, True),
    ],
)
def test_the_forms_that_schemas_of_other_servers_have(schema, value, fits):
    assert (misfit(value, schema) is None) is fits
