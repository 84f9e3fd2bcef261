"""Tests scripts/check.py: each rule passes on a good sample and names the place in a bad one; and the layers hold what they say."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house_check", ROOT / "scripts" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


check = load_check()

GOOD = '"""Decides the sum of two numbers; it must not round."""\n\n\ndef add(left: int, right: int) -> int:\n    return left + right\n'


def sample(root: Path, **texts: str) -> Path:
    """Write files named like src__pkg__name_py below *root*, beside one good module."""
    (root / "src" / "pkg").mkdir(parents=True, exist_ok=True)
    (root / "src" / "pkg" / "sums.py").write_text(GOOD, encoding="utf-8")
    for name, text in texts.items():
        folders, _, suffix = name.rpartition("_")
        path = root / f"{folders.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def broken(rule: str, root: Path) -> list[str]:
    return list(getattr(check, rule)(root))


def one(rule: str, root: Path) -> str:
    found = broken(rule, root)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("rule", [rule.__name__ for rule in check.RULES if rule.__name__ != "constraints"])
def test_a_good_tree_keeps_every_rule(rule: str, tmp_path: Path) -> None:
    assert broken(rule, sample(tmp_path)) == []


def test_a_long_file_is_found(tmp_path: Path) -> None:
    assert one("sizes", sample(tmp_path, src__pkg__long_py="x = 1\n" * 401)).startswith("src/pkg/long.py: 401 lines")


def test_a_long_function_is_found_and_its_docstring_is_not_counted(tmp_path: Path) -> None:
    told = "def told():\n    '''One.\n" + "    more\n" * 50 + "    '''\n" + "    x = 1\n" * 39
    long = "async def long():\n" + "    x = 1\n" * 40
    assert "long has 41 lines" in one("sizes", sample(tmp_path, src__pkg__told_py=told, src__pkg__both_py=long))


def test_a_migration_may_be_long(tmp_path: Path) -> None:
    step = '"""First"""\n\ndef upgrade():\n' + "    x = 1\n" * 60
    root = sample(tmp_path, src__pkg__migrations__versions__first_py=step)
    assert broken("sizes", root) == broken("docstrings", root) == []


@pytest.mark.parametrize(
    "line",
    [
        "x = 1  # noqa: S101",
        "x = 1  # noqa",
        "x = 1  # type: ignore[arg-type]",
        "x = 1  # pyright: ignore[reportAny]  # because",
        "x = 1  # noqa: S101  # type: ignore[arg-type]",
    ],
)
def test_an_exemption_without_a_reason_is_found(line: str, tmp_path: Path) -> None:
    assert "src/pkg/bad.py:1" in broken("reasons", sample(tmp_path, src__pkg__bad_py=line + "\n"))[0]


def test_an_exemption_with_its_rule_and_reason_passes(tmp_path: Path) -> None:
    lines = "x = 1  # noqa: S101  # the reader sees both\ny = 1  # type: ignore[arg-type]  # the stub is wrong here\ntext = '# noqa'\n"
    assert broken("reasons", sample(tmp_path, src__pkg__fine_py=lines)) == []


@pytest.mark.parametrize(
    "code",
    ["class DraftManager: ...", "def run_helper(): ...", "common_rows = 1", "def f(handler): ...", "import json as json_utils"],
)
def test_a_name_that_says_nothing_is_found(code: str, tmp_path: Path) -> None:
    assert "src/pkg/bad.py:1" in one("empty_names", sample(tmp_path, src__pkg__bad_py=code + "\n"))


def test_a_module_named_for_nothing_is_found(tmp_path: Path) -> None:
    assert "src/pkg/helpers.py" in one("empty_names", sample(tmp_path, src__pkg__helpers_py=""))


def test_a_longer_word_that_contains_a_forbidden_one_passes(tmp_path: Path) -> None:
    assert broken("empty_names", sample(tmp_path, src__pkg__fine_py="utility = servicing = uncommon = 1\n")) == []


def test_a_synonym_of_the_glossary_is_found(tmp_path: Path) -> None:
    table = "| word | meaning | not |\n|---|---|---|\n| **rehearsal** | on a copy | `dry_run` |\n| **seal** | frozen | stamp |\n"
    code = "class DryRunner: ...\nclass DryRun: ...\ndef stamp(): ...\n"
    found = one("vocabulary", sample(tmp_path, docs__glossary_md=table, src__pkg__bad_py=code))
    assert found.startswith("src/pkg/bad.py:2: DryRun: say 'rehearsal'")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        '"""\nAdds.\n"""\n',
        '"""Adds and goes on\nwithout an end."""\n',
        '"""Adds numbers"""\n',
    ],
)
def test_a_module_that_does_not_say_what_it_is_for_is_found(text: str, tmp_path: Path) -> None:
    assert "src/pkg/bad.py" in one("docstrings", sample(tmp_path, src__pkg__bad_py=text))


@pytest.mark.parametrize(
    ("zh", "en", "said"),
    [
        ('a = "甲"\nb = "乙"', 'a = "A"', "b: missing in en"),
        ('a = "甲"', 'a = "A"\n[c]\nd = "D"', "c.d: missing in zh-CN"),
        ('a = "{n}个"', 'a = "{m:task|tasks}"', "placeholders differ"),
        ('a = "{n"', 'a = "n"', "a: "),
    ],
)
def test_catalogues_that_differ_are_found(zh: str, en: str, said: str, tmp_path: Path) -> None:
    texts = sample(tmp_path) / "src" / "pkg" / "texts"
    texts.mkdir()
    (texts / "zh-CN.toml").write_text(zh, encoding="utf-8")
    (texts / "en.toml").write_text(en, encoding="utf-8")
    assert said in one("catalogues", tmp_path)


def test_a_message_that_stands_twice_is_found(tmp_path: Path) -> None:
    for name in ("src/a/texts/zh-CN.toml", "src/a/texts/en.toml", "src/b/texts/more.zh-CN.toml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('a = "{n:task|tasks}"', encoding="utf-8")
    assert "a stands in another file of zh-CN too" in one("catalogues", tmp_path)


def test_a_named_host_is_found_and_examples_are_not(tmp_path: Path) -> None:
    dot = "."
    text = f"see https{':'}//somewhere.dev/x or files{dot}somewhere{dot}org\nhttp://db/x http://localhost:1 a@example.org http://x.example/y 127.0.0.1\n"
    found = broken("hosts", sample(tmp_path, docs__page_md=text))
    assert [line.rsplit(" ", 1)[1] for line in found] == ["somewhere.dev", f"files{dot}somewhere{dot}org"]


def test_without_git_an_environment_in_the_tree_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    root = sample(tmp_path)
    for name in (".venv/lib/x.py", "src/pkg/__pycache__/x.txt", ".ci/run"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    assert [str(path.relative_to(root)) for path in check.files(root)] == [".ci/run", "src/pkg/sums.py"]


def test_a_path_of_one_machine_is_found(tmp_path: Path) -> None:
    slash = "/"
    assert "docs/page.md:1" in one("machine_paths", sample(tmp_path, docs__page_md=f"run {slash}home{slash}me{slash}x\n"))


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    text = "[out](../../elsewhere/x.md) [gone](gone.md) [here](page.md#part) [web](https://x.example/y)\n"
    found = broken("machine_paths", sample(tmp_path, docs__page_md=text))
    assert [line.split(" link ")[1].split()[0] for line in found] == ["../../elsewhere/x.md", "gone.md"]


def test_constraints_name_versions_only_and_cover_what_is_declared(tmp_path: Path) -> None:
    project = (
        '[project]\ndependencies = ["Some_Thing[extra]>=1", "other>=2"]\n[project.optional-dependencies]\ntest = ["third"]\n'
    )
    pins = "some-thing==1.2\nother==2.0 --hash=sha256:00\n-e .\n"
    found = broken("constraints", sample(tmp_path, pyproject_toml=project, requirements__constraints_txt=pins))
    assert len([line for line in found if "not name==version" in line]) == 2
    assert [line.split()[1] for line in found if "not pinned" in line] == ["other", "third"]


@pytest.mark.parametrize(("text", "code"), [(GOOD, 0), ("x = 1\n", 1)])
def test_the_exit_code_says_whether_every_rule_holds(
    text: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = {"pyproject_toml": "[project]\ndependencies = []\noptional-dependencies = {}\n", "requirements__constraints_txt": ""}
    monkeypatch.setattr(check, "HERE", sample(tmp_path, src__pkg__module_py=text, **empty))
    assert check.main(["--fast"]) == code
    told = capsys.readouterr().out
    assert told.endswith(f"{len(check.RULES)} rules, {code} broken\n")
    assert ("        src/pkg/module.py: no docstring\n" in told) == bool(code)


def test_a_tool_that_fails_breaks_its_rule(tmp_path: Path) -> None:
    assert check.run_tool(tmp_path, ("-c", "print('wrong here'); raise SystemExit(1)")) == ["wrong here"]
    assert check.run_tool(tmp_path, ("-c", "raise SystemExit(3)")) == ["exit code 3"]
    assert check.run_tool(tmp_path, ("-c", "print('a warning')")) == []


# ---- layers ----------------------------------------------------------------------------------------------------------


LAYER_MODULES = [
    "__main__",
    "cli",
    "wiring",
    "session",
    "agent",
    "domains",
    "domains.calls",
    "domains.cae",
    "domains.cae.engine",
    "domains.schedule",
    "gate",
    "gate.controller",
    "gate.recovery",
    "gate.executor",
    "server",
    "channels",
    "wakeups",
    "memory",
    "tools",
    "llm",
    "jobs",
    "store",
    "store.engine",
    "core",
]


def lint(root: Path, *imports: tuple[str, str]) -> str:
    """Run import-linter on a package of empty modules in which only *imports* (importer, imported) stand."""
    shutil.copy(ROOT / ".importlinter", root)
    package = root / "src" / "steadyhand"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in dict.fromkeys([*LAYER_MODULES, *(importer for importer, _ in imports)]):
        path = package / name.replace(".", "/")
        if any(other.startswith(f"{name}.") for other in LAYER_MODULES):
            path.mkdir(exist_ok=True)
            (path / "__init__.py").touch()
        else:
            path.with_suffix(".py").touch()
    for importer, imported in imports:
        path = package / importer.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.write_text(f"import {imported}\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    command = [sys.executable, *check.TOOLS[2][1]]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == ("0 broken" in done.stdout), done.stdout + done.stderr
    return done.stdout


def test_the_layers_allow_what_goes_down(tmp_path: Path) -> None:
    allowed = [
        ("cli", "steadyhand.wiring"),
        ("wiring", "steadyhand.domains.schedule"),
        ("session", "steadyhand.agent"),
        ("gate.controller", "steadyhand.gate.executor"),
        ("gate.recovery", "steadyhand.store"),
        ("store.engine", "sqlalchemy"),
    ]
    assert "0 broken" in lint(tmp_path, *allowed)


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("core", "steadyhand.store", "Layers"),
        ("agent", "steadyhand.session", "Layers"),
        ("llm", "steadyhand.jobs", "Layers"),
        ("community", "steadyhand.core", "Layers"),
        ("domains.schedule", "steadyhand.domains.calls", "Domains do not know each other"),
        ("session", "steadyhand.domains.schedule", "Only wiring, server and cli name a domain"),
        ("session", "steadyhand.gate.executor", "Only the controller and recovery start an execution"),
        ("gate.controller", "steadyhand.llm", "The gate cannot reach a model"),
        ("wiring", "sqlalchemy", "Only the store speaks SQL"),
        ("domains.schedule", "sqlite3", "Only the store speaks SQL"),
    ],
)
def test_the_layers_refuse_what_design_forbids(importer: str, imported: str, contract: str, tmp_path: Path) -> None:
    assert f"{contract} BROKEN" in lint(tmp_path, (importer, imported))
