"""Every refusal of the engine has its sentence in both languages, and the code gives what the sentence fills in."""

import ast
import string
from pathlib import Path

import pytest

from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.domains.cae import engine

FOLDER = Path(engine.__file__).parent


def refusals() -> list[tuple[str, str, frozenset[str] | None]]:
    """Return place, code and given names of every refusal whose code the source tells."""
    found: list[tuple[str, str, frozenset[str] | None]] = []
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and ast.unparse(node.func) in {"EngineRefusal", "PreflightRefusal"}
            if named and node.args and isinstance(node.args[0], ast.Constant):
                given = frozenset(str(word.arg) for word in node.keywords) if all(word.arg for word in node.keywords) else None
                found.append((f"{path.relative_to(FOLDER)}:{node.lineno}", str(node.args[0].value), given))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_its_text_and_gives_what_it_fills_in(language):
    messages = catalogue(language)
    found = refusals()
    assert len(found) > 25
    lacking = [f"{place}: refusal.{code}" for place, code, _ in found if f"refusal.{code}" not in messages]
    assert lacking == []
    for place, code, given in found:
        wanted = {name for _, name, _, _ in string.Formatter().parse(messages[f"refusal.{code}"]) if name is not None}
        assert given is None or wanted <= given, place
