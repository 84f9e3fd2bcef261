"""Every pattern that meets the content of a foreign file takes time in proportion to it, whatever the content is."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from house.linear import is_linear, patterns_of

READERS = (
    "steadyhand.domains.schedule.imports",
    "steadyhand.domains.cae.engine",
    "steadyhand.tools",
    "steadyhand.llm",
    "steadyhand.gate",
    "steadyhand.store",
    "steadyhand.core",
)
"""What reads files, pages, answers of models, dossiers and what is logged of them; sentences of a person are another matter."""


def modules():
    for root in READERS:
        package = importlib.import_module(root)
        for info in pkgutil.walk_packages(package.__path__, f"{root}."):
            source = Path(importlib.util.find_spec(info.name).origin).read_text("utf-8")
            if "import re\n" in source:
                yield info.name, source


MODULES = dict(modules())


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_pattern_is_linear(name):
    found = list(patterns_of(MODULES[name], importlib.import_module(name)))
    assert [(own, pattern.pattern) for own, pattern, methods in found if not is_linear(pattern, methods)] == []


@pytest.mark.parametrize("name", sorted(name for name in MODULES if name.startswith("steadyhand.domains.schedule.imports")))
def test_no_pattern_of_an_importer_hides_inside_a_function(name):
    inner = [
        ast.unparse(call)
        for function in ast.walk(ast.parse(MODULES[name]))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "re"
    ]
    assert [call for call in inner if not call.startswith("re.escape(")] == []


@pytest.mark.parametrize(
    ("pattern", "methods", "linear"),
    [
        (r"a*b", {"fullmatch"}, True),
        (r"a*b", {"search"}, False),
        (r"a{0,40}b", {"search"}, True),
        (r"a+", {"search"}, True),
        (r"x?a+", {"sub"}, True),
        (r"\s*,?\s*", {"fullmatch"}, False),
        (r"\s*,\s*", {"fullmatch"}, True),
        (r" ?,? ?", {"fullmatch"}, True),
        (r"a{0,40}b?a{0,40}c", {"match"}, False),
        (r"(a|b)*c", {"match"}, True),
        (r"(a|ab)*c", {"match"}, True),
        (r"(a+)+c", {"match"}, False),
        (r"[A-Z0-9]*\d[A-Z0-9]*-\d+", {"fullmatch"}, False),
        (r"^\s*BEGIN", {"search"}, True),
        (r"(?m)^\s*BEGIN", {"search"}, False),
        (r"(?m)^[ \t]*BEGIN", {"search"}, True),
        (r"\{[^{}]*\}", {"search"}, True),
        (r"\{[^}]*\}", {"search"}, False),
        (r"(.+?)\s*#*", {"fullmatch"}, False),
        (r"a{0,20}b?a{0,12}c", {"match"}, True),
        (r"(?:a{1,40}){1,40}c", {"match"}, False),
        (r"(?:ab|a|b)*x?(?:ab|a|b)*c", {"match"}, False),
        (r"x.{1,20}y.{0,12}z", {"search"}, True),
        (r"x.*y", {"search"}, False),
    ],
)
def test_the_judge_of_patterns_knows_the_linear_ones(pattern, methods, linear):
    assert is_linear(re.compile(pattern), methods) is linear
