"""Reads the source for every place that names a text, so that a test can ask the catalogues for it.

What it knows as a place: ``say(language, ID)``, a frame's ``say(ID)``, a module's own ``_say(ID)``, the timetable's ``words(ID)``,
the codes of errors, refusals and checks. An ID may be a literal, a choice of literals, an f-string, or a name given one of
these in the same function; anything else is not judged.
"""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import steadyhand
from steadyhand.core.errors import Bug, SteadyhandError

SOURCE = Path(steadyhand.__file__).parent
WORD_TABLES = ("schedule.literal.", "schedule.added.")
ERROR_PARTS = ("summary", "detail", "next")
THROUGH_THE_GATE = ("agent/", "domains/calls/", "gate/", "tools/")
"""Where an error reaches a person as the reason of a change or a call, for which one sentence, a refusal's, is enough."""


@dataclass(frozen=True)
class Use:
    """One place that names texts: any of *wanted* (regular expressions) will do; *given* are the values it fills in, if known."""

    place: str
    wanted: tuple[str, ...]
    given: frozenset[str] | None


@cache
def error_classes() -> tuple[set[str], set[str]]:
    """Return the names of our error classes: those made with a code, and those that choose their code themselves.

    A bug has no text of its own: every one is told as the program's fault.
    """
    for module in pkgutil.walk_packages(steadyhand.__path__, "steadyhand."):
        if not module.name.endswith("__main__") and ".migrations" not in module.name:
            importlib.import_module(module.name)
    by_code, by_themselves = set(), set()
    waiting = SteadyhandError.__subclasses__()
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if not issubclass(one, Bug):
            (by_code if one.__init__ is SteadyhandError.__init__ else by_themselves).add(one.__name__)
    return by_code, by_themselves


def uses() -> Iterator[Use]:
    """Yield every place in the source that names a text."""
    errors = error_classes()
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield from Reader(path.relative_to(SOURCE), path.read_text(encoding="utf-8"), errors).read()


class Reader:
    """Reads one module."""

    def __init__(self, shown: Path, text: str, errors: tuple[set[str], set[str]]) -> None:
        self.shown = shown
        self.tree = ast.parse(text)
        self.by_code, self.by_themselves = errors
        self.own_say = self._prefix_of_own_say()
        self.scopes: list[ast.AST] = []

    def read(self) -> Iterator[Use]:
        yield from self._walk(self.tree)

    def _walk(self, node: ast.AST) -> Iterator[Use]:
        scoped = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if scoped:
            self.scopes.append(node)
        if isinstance(node, ast.Call):
            yield from self._call(node)
        for child in ast.iter_child_nodes(node):
            yield from self._walk(child)
        if scoped:
            self.scopes.pop()

    def _call(self, node: ast.Call) -> Iterator[Use]:
        name = ast.unparse(node.func)
        last = name.rpartition(".")[2]
        if name in {"say", "lines.say", "language.say"} and len(node.args) == 2:
            yield from self._use(node, node.args[1], [""])
        elif last == "say" and "frame" in name and node.args:
            yield from self._use(node, node.args[0], ["cli."])
        elif name == "self._say" and self.own_say and node.args:
            yield from self._use(node, node.args[0], [self.own_say])
        elif name == "words" and "domains/schedule" in str(self.shown) and node.args:
            yield from self._use(node, node.args[0], WORD_TABLES)
        elif last == "Refused" and len(node.args) == 2 and "domains/schedule" in str(self.shown):
            yield from self._use(node, node.args[1], WORD_TABLES, filled=False)
        elif last == "Refusal" and node.args:
            yield from self._refusal(node)
        elif (last in self.by_code and node.args) or (name == "super().__init__" and node.args and self._in_error_class()):
            yield from self._error(node, node.args[0])

    def _refusal(self, node: ast.Call) -> Iterator[Use]:
        given: frozenset[str] | None = frozenset()
        if len(node.args) > 1:
            params = node.args[1]
            literal = isinstance(params, ast.Dict) and all(isinstance(key, ast.Constant) for key in params.keys)
            given = frozenset(str(ast.literal_eval(key)) for key in params.keys) if literal else None
        for code in self._texts(node.args[0]):
            yield Use(self._place(node), (rf"refusal\.{code}", rf"error\.{code}\.summary"), given)

    def _error(self, node: ast.Call, code: ast.expr) -> Iterator[Use]:
        refusal = str(self.shown).startswith(THROUGH_THE_GATE)
        for text in self._texts(code):
            for part in ERROR_PARTS:
                wanted = (rf"error\.{text}\.{part}", *((rf"refusal\.{text}",) if refusal else ()))
                yield Use(self._place(node), wanted, self._given(node))

    def _use(
        self, node: ast.Call, message: ast.expr, prefixes: list[str] | tuple[str, ...], *, filled: bool = True
    ) -> Iterator[Use]:
        for text in self._texts(message):
            given = self._given(node) if filled else None
            yield Use(self._place(node), tuple(re.escape(prefix) + text for prefix in prefixes), given)

    def _given(self, node: ast.Call) -> frozenset[str] | None:
        if any(word.arg is None for word in node.keywords):
            return None
        return frozenset(str(word.arg) for word in node.keywords)

    def _texts(self, node: ast.expr, *, follow: bool = True) -> list[str]:
        """Return what the expression can be, as regular expressions; nothing when it cannot be told."""
        match node:
            case ast.Constant(value=str() as text):
                return [re.escape(text)]
            case ast.IfExp():
                return self._texts(node.body) + self._texts(node.orelse)
            case ast.JoinedStr():
                parts = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".*" for one in node.values]
                return ["".join(parts)] if any(part != ".*" for part in parts) else []
            case ast.Name() if follow and self.scopes:
                return [text for value in self._given_to(node.id) for text in self._texts(value, follow=False)]
            case _:
                return []

    def _given_to(self, name: str) -> list[ast.expr]:
        """Return what the name is given in the function at hand."""
        found: list[ast.expr] = []
        for node in ast.walk(self.scopes[-1]):
            match node:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    found.append(value)
                case _:
                    pass
        return found

    def _in_error_class(self) -> bool:
        return any(isinstance(scope, ast.ClassDef) and scope.name in self.by_themselves for scope in self.scopes)

    def _prefix_of_own_say(self) -> str:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == "_say":
                for inner in ast.walk(node):
                    if isinstance(inner, ast.JoinedStr) and isinstance(inner.values[0], ast.Constant):
                        return str(inner.values[0].value)
        return ""

    def _place(self, node: ast.AST) -> str:
        return f"{self.shown}:{getattr(node, 'lineno', 0)}"
