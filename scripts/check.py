"""Decides whether the tree keeps the house rules; it must not change a file.

`./steady check` runs everything, `scripts/check.py --fast` only the rules written here (no ruff, pyright or import-linter).
One line per rule; a broken rule lists where; the exit code is 1 when any rule is broken.
"""

import argparse
import ast
import os
import re
import string
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
CODE = ("src", "tests", "bench", "scripts")
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 40
FROZEN = "migrations/versions/"  # a migration that was released is a list that is never edited, and so never split

Rule = Callable[[Path], Iterable[str]]


# ---- reading the tree ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """One Python file, read and parsed once."""

    path: Path
    shown: str
    text: str
    tree: ast.Module


@cache
def modules(root: Path, folders: tuple[str, ...] = CODE) -> tuple[Module, ...]:
    """Return the parsed Python files below *folders* in a stable order."""
    found: list[Module] = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found.append(Module(path, str(path.relative_to(root)), text, ast.parse(text, str(path))))
    return tuple(found)


def listed_by_git(root: Path) -> list[str] | None:
    """Return what git knows or would add below *root*; None where there is no git or no clone."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.split("\0")[:-1] if done.returncode == 0 else None


@cache
def files(root: Path) -> tuple[Path, ...]:
    """Return every text file that belongs to the project; without git, all but what tools leave in the tree."""
    names = listed_by_git(root)
    paths = [root / name for name in names] if names is not None else list(root.rglob("*"))
    kept = (path for path in sorted(set(paths)) if path.is_file() and not left_by_tools(path.relative_to(root)))
    return tuple(path for path in kept if b"\0" not in path.read_bytes()[:8192])


def left_by_tools(path: Path) -> bool:
    """Whether *path* lies in an environment or a cache."""
    return any(part == "__pycache__" or (part.startswith(".") and part != ".ci") for part in path.parts[:-1])


def lines(root: Path) -> Iterator[tuple[str, str]]:
    """Yield ``path:line`` and the text of every line of the project."""
    for path in files(root):
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{path.relative_to(root)}:{number}", line


# ---- sizes -----------------------------------------------------------------------------------------------------------

Function = ast.FunctionDef | ast.AsyncFunctionDef


def own_lines(node: Function) -> int:
    """Count a function from its `def` to its last line, without its docstring."""
    first = node.body[0]
    told = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) is not None and first.end_lineno else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - told


def sizes(root: Path) -> Iterator[str]:
    """Files have at most 400 lines and functions at most 40."""
    for module in modules(root, ("src", "scripts")):
        length = len(module.text.splitlines())
        if length > MOST_FILE_LINES:
            yield f"{module.shown}: {length} lines ({MOST_FILE_LINES} at most): split it along what it decides"
        for node in ast.walk(module.tree):
            if isinstance(node, Function) and own_lines(node) > MOST_FUNCTION_LINES and FROZEN not in module.shown:
                yield f"{module.shown}:{node.lineno}: {node.name} has {own_lines(node)} lines ({MOST_FUNCTION_LINES} at most)"


# ---- exemptions carry a reason ---------------------------------------------------------------------------------------

EXEMPTION = re.compile(r"#\s*(noqa|type:\s*ignore|pyright:\s*ignore)(?P<rest>[^#]*)(?:#\s*(?P<reason>.*))?")


def reasons(root: Path) -> Iterator[str]:
    """Each noqa and each type exemption names its rule and gives its reason on the same line."""
    for module in modules(root):
        with module.path.open("rb") as source:
            comments = [token for token in tokenize.tokenize(source.readline) if token.type == tokenize.COMMENT]
        for token in comments:
            for found in EXEMPTION.finditer(token.string):
                place = f"{module.shown}:{token.start[0]}"
                if not re.match(r"\s*[:\[]", found["rest"]):
                    yield f"{place}: {found[1]} without the rule that it lifts"
                reason = (found["reason"] or "").strip() or re.sub(r"^\s*(\[[^]]*\]|:[\s\w,]*)", "", found["rest"]).strip()
                if len(reason.split()) < 2 or EXEMPTION.match("#" + reason):
                    yield f"{place}: {found[1]} without a reason on the same line"


# ---- names -----------------------------------------------------------------------------------------------------------

EMPTY_WORDS = {"util", "helper", "common", "manager", "service", "handler"}


def words(name: str) -> list[str]:
    """Split ``HTTPServer`` or ``read_back`` into its words, in lower case."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def named(module: Module) -> Iterator[tuple[int, str]]:
    """Yield every name that a module gives to something, with its line; the module's own path first."""
    for part in Path(module.shown).with_suffix("").parts:
        yield 1, part
    for node in ast.walk(module.tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.alias(asname=str() as name):
                yield getattr(node, "lineno", 1), name
            case _:
                pass


def empty_names(root: Path) -> Iterator[str]:
    """No name says only that something helps: utils, helpers, common, manager, service, handler."""
    for module in modules(root):
        for line, name in named(module):
            hit = {word.removesuffix("s") for word in words(name)} & EMPTY_WORDS
            if hit:
                yield f"{module.shown}:{line}: {name}: '{hit.pop()}' does not say what it decides"


def glossary_words(root: Path) -> dict[str, str]:
    """Read the linted synonyms of docs/glossary.md: those in `code` in the third column, each to its right word."""
    table = root / "docs" / "glossary.md"
    wrong: dict[str, str] = {}
    for line in table.read_text(encoding="utf-8").splitlines() if table.is_file() else ():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3:
            wrong |= {word: cells[0].strip("*") for word in re.findall(r"`([a-z_]+)`", cells[2])}
    return wrong


def vocabulary(root: Path) -> Iterator[str]:
    """Modules, classes and functions use the words of docs/glossary.md, not their synonyms."""
    wrong = {tuple(word.split("_")): (word, right) for word, right in glossary_words(root).items()}
    for module in modules(root, ("src",)):
        given = [(1, module.path.stem)]
        given += [(n.lineno, n.name) for n in ast.walk(module.tree) if isinstance(n, (ast.ClassDef, *Function.__args__))]
        for line, name in given:
            parts = tuple(words(name))
            for pattern, (word, right) in wrong.items():
                width = len(pattern)
                if any(parts[at : at + width] == pattern for at in range(len(parts) - width + 1)):
                    yield f"{module.shown}:{line}: {name}: say '{right}', not '{word}' (docs/glossary.md)"


# ---- what each module says of itself ---------------------------------------------------------------------------------


def docstrings(root: Path) -> Iterator[str]:
    """Each module in src opens with one sentence that says what it is for."""
    for module in modules(root, ("src",)):
        told = ast.get_docstring(module.tree, clean=False)
        if told is None:
            yield f"{module.shown}: no docstring"
            continue
        first = told.split("\n", 1)[0]
        if FROZEN in module.shown:  # named by its migration, decides nothing
            continue
        if first != first.strip() or not re.search(r"[.:;。]$", first):
            yield f"{module.shown}: the docstring does not begin with one whole sentence on its first line"


# ---- texts -----------------------------------------------------------------------------------------------------------

LANGUAGES = ("zh-CN", "en")


def flatten(prefix: str, node: object) -> Iterator[tuple[str, str]]:
    """Yield the dotted id and the text of each message of a TOML tree."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from flatten(f"{prefix}.{key}" if prefix else key, value)
    else:
        yield prefix, str(node)


def placeholders(template: str) -> set[str]:
    """Return the names that a template fills in."""
    return {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}


def catalogues(root: Path) -> Iterator[str]:
    """Both languages have the same messages with the same placeholders, and no message stands twice."""
    known: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
    for path in sorted((root / "src").rglob("texts/*.toml")):
        shown = str(path.relative_to(root))
        language = next((each for each in LANGUAGES if path.stem == each or path.stem.endswith(f".{each}")), None)
        if language is None:
            yield f"{shown}: not named for a language ({', '.join(LANGUAGES)})"
            continue
        for message, template in flatten("", tomllib.loads(path.read_text(encoding="utf-8"))):
            if message in known[language]:
                yield f"{shown}: {message} stands in another file of {language} too"
            known[language][message] = template
    zh, en = (known[language] for language in LANGUAGES)
    yield from (f"{message}: missing in en" for message in sorted(zh.keys() - en.keys()))
    yield from (f"{message}: missing in zh-CN" for message in sorted(en.keys() - zh.keys()))
    for message in sorted(zh.keys() & en.keys()):
        try:
            ours, theirs = placeholders(zh[message]), placeholders(en[message])
        except ValueError as error:
            yield f"{message}: {error}"
            continue
        if ours != theirs:
            yield f"{message}: placeholders differ: zh-CN {sorted(ours)}, en {sorted(theirs)}"


# ---- what must not be in the tree ------------------------------------------------------------------------------------

KNOWN_HOSTS = {"www.w3.org", "www.rfc-editor.org", "keepachangelog.com", "semver.org", "127.0.0.1"}
RESERVED = re.compile(r"^[\w-]+$|(^|\.)(example(\.(com|net|org))?|test|invalid|localhost)$")  # belong to nobody (RFC 2606)
URL_HOST = re.compile(r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@'\"`]*@)?(?P<host>[\w-]+(?:\.[\w-]+)*)", re.IGNORECASE)
BARE_HOST = re.compile(r"(?<![\w@.-])(?P<host>(?:[a-z0-9-]+\.)+(?:com|net|org))(?![\w-]|\.\w)", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w.$}/:])/(?:home|root|Users|mnt|opt|tmp|work|farm)/\w")


def hosts(root: Path) -> Iterator[str]:
    """No host is named but loopback, reserved examples and the few standards that we cite."""
    for place, line in lines(root):
        for found in (*URL_HOST.finditer(line), *BARE_HOST.finditer(line)):
            host = found["host"].lower()
            if host not in KNOWN_HOSTS and not RESERVED.search(host):
                yield f"{place}: names the host {host}"


def machine_paths(root: Path) -> Iterator[str]:
    """No path of somebody's machine, and no link that leads out of the project or nowhere."""
    for place, line in lines(root):
        if MACHINE_PATH.search(line):
            yield f"{place}: a path of one machine: {line.strip()[:100]}"
    for path in files(root):
        if path.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            led = (path.parent / target).resolve()
            if not led.is_relative_to(root.resolve()) or not led.exists():
                yield f"{path.relative_to(root)}: the link {target} leads nowhere inside the project"


def constraints(root: Path) -> Iterator[str]:
    """The constraints say name==version and nothing else, and cover every declared dependency."""
    shown = "requirements/constraints.txt"
    pinned: set[str] = set()
    for line in (root / shown).read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r"([a-z0-9-]+)==([0-9][\w.]*)", line)
        if found is None:
            yield f"{shown}: not name==version: {line}"
        else:
            pinned.add(found[1])
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    for line in declared:
        name = re.split(r"[\[<>=~! ]", line, maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")
        if name not in pinned:
            yield f"{shown}: {name} is declared in pyproject.toml but not pinned"


RULES: tuple[Rule, ...] = (
    sizes,
    reasons,
    empty_names,
    vocabulary,
    docstrings,
    catalogues,
    hosts,
    machine_paths,
    constraints,
)


# ---- the tools -------------------------------------------------------------------------------------------------------

LINT_IMPORTS = "from importlinter.cli import lint_imports_command as run; run()"  # it has no -m entry
TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff check", ("-m", "ruff", "check", "--quiet", "--output-format=concise", ".")),
    ("ruff format", ("-m", "ruff", "format", "--quiet", "--check", "--diff", ".")),
    ("layers (import-linter)", ("-c", LINT_IMPORTS, "--no-logo", "--no-cache", ".importlinter")),
    ("types (pyright)", ("-m", "pyright", "--pythonpath", sys.executable)),
)


def run_tool(root: Path, command: tuple[str, ...]) -> list[str]:
    """Run a checker of this environment; return what it complains about."""
    quiet = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}  # it would ask the network for a newer self
    done = subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | quiet,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).splitlines() or [f"exit code {done.returncode}"] if done.returncode else []


# ---- the report ------------------------------------------------------------------------------------------------------


def report(title: str, broken: Iterable[str]) -> bool:
    """Print one line for a rule, and where it is broken; return whether it holds."""
    found = list(broken)
    print(f"{'FAIL' if found else 'ok  '}  {title}" + (f" ({len(found)})" if found else ""))
    for line in found:
        print(f"        {line}")
    return not found


def main(arguments: list[str] | None = None) -> int:
    """Check the tree; return the exit code."""
    reader = argparse.ArgumentParser(description="Check the house rules.")
    reader.add_argument("--fast", action="store_true", help="only the rules of this file: no ruff, pyright or import-linter")
    asked = reader.parse_args(arguments)
    held = [report(str(rule.__doc__).rstrip("."), rule(HERE)) for rule in RULES]
    if not asked.fast:
        held += [report(title, run_tool(HERE, command)) for title, command in TOOLS]
    print(f"{len(held)} rules, {held.count(False)} broken")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
