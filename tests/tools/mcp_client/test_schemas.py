"""Arguments are checked against a foreign schema as JSON Schema says, in bounded time, and without fetching anything."""

import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.language import LANGUAGES
from steadyhand.tools.checking import Misfit, Unfit
from steadyhand.tools.mcp_client.schemas import ForeignSchema, fault_of


def reasons(schema, arguments):
    try:
        ForeignSchema(schema).model_validate_json(json.dumps(arguments))
    except Misfit as error:
        return error.reasons
    return ()


CLOSED = {
    "type": "object",
    "properties": {
        "day": {"type": "integer", "minimum": 1, "maximum": 7},
        "mode": {"enum": ["keep", "swap"]},
        "names": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 3}, "maxItems": 2},
        "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "sure": {"type": "boolean"},
        "inner": {"type": "object", "required": ["x"], "additionalProperties": False, "properties": {"x": {"$ref": "#/$defs/x"}}},
    },
    "$defs": {"x": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["day"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, [("argument_missing", "day")]),
        ({"day": "1"}, [("argument_integer", "day")]),
        ({"day": 1.5}, [("argument_integer", "day")]),
        ({"day": True}, [("argument_integer", "day")]),
        ({"day": 0}, [("argument_at_least", "day")]),
        ({"day": 8}, [("argument_at_most", "day")]),
        ({"day": 1, "colour": 1, "size": 2}, [("argument_unknown", "colour"), ("argument_unknown", "size")]),
        ({"day": 1, "mode": "turn"}, [("argument_choice", "mode")]),
        ({"day": 1, "names": "x"}, [("argument_list", "names")]),
        ({"day": 1, "names": ["", "abcd"]}, [("argument_too_short", "names[0]"), ("argument_too_long", "names[1]")]),
        ({"day": 1, "names": ["a", "b", "c"]}, [("argument_too_long", "names")]),
        ({"day": 1, "share": 0}, [("argument_above", "share")]),
        ({"day": 1, "share": 1}, [("argument_below", "share")]),
        ({"day": 1, "share": "x"}, [("argument_number", "share")]),
        ({"day": 1, "sure": 1}, [("argument_boolean", "sure")]),
        ({"day": 1, "inner": []}, [("argument_object", "inner")]),
        ({"day": 1, "inner": {"y": 1}}, [("argument_missing", "inner.x"), ("argument_unknown", "inner.y")]),
        ({"day": 1, "inner": {"x": 1}}, [("argument_unusable", "inner.x")]),
        ({"day": 1, "inner": {"x": None}}, []),
    ],
)
def test_each_argument_that_does_not_fit_is_named_with_its_reason(arguments, told):
    found = reasons(CLOSED, arguments)
    assert sorted((message, params["argument"]) for message, params in found) == sorted(told)
    for language in LANGUAGES:
        assert found == () or Unfit("bad_argument", found).text(language)


def test_what_cannot_be_checked_in_bounded_time_is_left_to_the_server():
    schema = {"type": "object", "patternProperties": {"^(a+)+$": {"type": "integer"}}, "additionalProperties": False}
    assert reasons(schema, {"a" * 40 + "!": 1}) == ()
    assert reasons({"type": "object", "properties": {"x": {"uniqueItems": True}}}, {"x": [1, 1]}) == ()


def test_an_older_schema_is_read_by_its_own_rules():
    schema = {"$schema": jsonschema.Draft4Validator.META_SCHEMA["$schema"], "type": "object"}
    assert fault_of(schema) is None
    assert reasons(schema, {"x": 1}) == ()


def test_a_reference_that_leads_nowhere_lets_nothing_pass():
    assert reasons({"type": "object", "$ref": "#/$defs/none"}, {}) != ()


def test_what_a_model_is_told_is_tidied_and_what_is_checked_is_not():
    schema = {
        "type": "object",
        "description": "a\u202e\nb" + "x" * 900,
        "properties": {"description": {"title": "t\u200bt"}},
        "required": ["description"],
    }
    told = ForeignSchema(schema).model_json_schema()
    assert told["description"].startswith("a bx")
    assert len(told["description"]) <= 400
    assert told["properties"]["description"]["title"] == "tt"
    told.clear()
    assert ForeignSchema(schema).model_json_schema() != {}
    assert [params["argument"] for _, params in reasons(schema, {})] == ["description"]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3) | st.floats(-2, 2, allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=6,
)
types = st.sampled_from(["integer", "number", "string", "boolean", "array", "object", "null"])
schemas = st.recursive(
    st.fixed_dictionaries({"type": types}) | st.fixed_dictionaries({"enum": st.lists(values, min_size=1, max_size=3)}),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
                "required": st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
                "additionalProperties": st.booleans() | inner,
            },
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
    ),
    max_leaves=5,
)


@given(schemas, st.dictionaries(st.sampled_from(["a", "b", "c"]), values, max_size=3))
@settings(max_examples=200, deadline=None)
def test_the_check_agrees_with_the_library_s_own(inner, arguments):
    schema = {"type": "object", "properties": {"a": inner}, "additionalProperties": inner}
    plain = jsonschema.Draft202012Validator(schema).is_valid(arguments)
    assert (reasons(schema, arguments) == ()) == plain
