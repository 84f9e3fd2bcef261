"""What a model is told of the wire tools is written down; schemas are small, closed, and name no target."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from steadyhand.core.language import LANGUAGES, say
from steadyhand.domains.cae.calls.table import ORDER, TOOLS
from steadyhand.domains.cae.catalogue.specs import parameters, specs
from steadyhand.llm.fitting import misfit

GOLDEN = Path(__file__).parents[3] / "golden" / "cae"
NAMES = tuple(TOOLS)
EXAMPLE = re.compile(r"^(?:正确|Right)[^{]*(?P<first>\{.*)$", re.MULTILINE)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema."""
    if isinstance(schema, list):
        for inner in schema:
            yield from nodes(inner)
    elif isinstance(schema, dict):
        yield schema
        for keyword, value in schema.items():
            yield from nodes(list(value.values()) if keyword in {"properties", "$defs"} else value)


def told(language: str) -> str:
    """Each tool's manual and schema."""
    return "\n".join(
        f"== {spec.name}\n{spec.description}\n-- {json.dumps(spec.parameters, ensure_ascii=False, sort_keys=True)}\n"
        for spec in specs(NAMES, language)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_model_is_told_of_every_tool_is_as_written_down(language):
    assert told(language) == (GOLDEN / f"wire_tools.{language}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_closed_and_without_prose(name):
    schema = parameters(name)
    Draft202012Validator.check_schema(schema)
    for node in nodes(schema):
        assert not {"title", "description", "discriminator", "oneOf", "prefixItems", "ge", "le", "gt", "lt"} & set(node)
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
        assert node.get("$ref", "#/$defs/").startswith("#/$defs/")


@pytest.mark.parametrize("name", NAMES)
def test_no_tool_takes_the_name_of_a_model_or_a_part(name):
    named = {argument for node in nodes(parameters(name)) for argument in node.get("properties", {})}
    assert not {"model", "model_name", "part", "part_name", "target", "instance"} & named


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_asks_for_what_the_arguments_need_and_nothing_else(name):
    model = TOOLS[name].arguments
    assert set(parameters(name)["properties"]) == set(model.model_fields)
    needed = {field for field, about in model.model_fields.items() if about.is_required()}
    assert set(parameters(name).get("required", ())) == needed


def examples(description: str) -> Iterator[str]:
    """The JSON objects that a manual gives as right ones."""
    for match in EXAMPLE.finditer(description):
        rest = match["first"]
        while rest.startswith("{"):
            value, end = json.JSONDecoder().raw_decode(rest)
            yield json.dumps(value)
            rest = rest[end:].lstrip("，,或 or")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "audit_property"])
def test_every_example_that_a_manual_calls_right_is_right(name, language):
    (spec,) = specs((name,), language)
    found = list(examples(spec.description))
    assert found
    for example in found:
        TOOLS[name].arguments.model_validate_json(example)
        assert misfit(json.loads(example), spec.parameters) is None
        assert not list(Draft202012Validator(spec.parameters).iter_errors(json.loads(example)))


@pytest.mark.parametrize(("language", "wrong"), [("zh-CN", "错误"), ("en", "WRONG")])
def test_every_manual_says_what_is_wrong(language, wrong):
    assert all(wrong in say(language, f"cae.manual.{name}") for name in NAMES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["build_part", "edit_part"])
def test_no_set_unless_asked_and_whole_replacement_only_in_so_many_words(name, language):
    manual = say(language, f"cae.manual.{name}")
    assert "element_sets" in manual
    assert ("clear_all" in manual) == (name == "edit_part")


def test_the_table_is_in_one_order():
    assert [spec.name for spec in specs(NAMES, "en")] == [tool.name for tool in ORDER]
