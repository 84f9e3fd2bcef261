"""Figures of the house as its code stands: rooms and arrows, names that stand twice, functions named by a participle, lines.

    python scripts/figures.py [--root FOLDER]

A room is a folder (or a module that stands in none) of a package; an arrow is one room that imports another. FOLDER is another
checkout, so that two states can be compared.
"""

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("cli", "store", "domains/schedule", "domains/cae", "wiring")
PARTICIPLES = re.compile(
    r"told|shown|held|kept|found|read|done|made|given|taken|gone|left|said|seen|known|sent|written|drawn"
    r"|chosen|broken|owed|moved|answered|asked|changed|placed|named|listed|counted|sorted|noted|stored|filled"
    r"|pulled|sealed|closed|opened"
)


def trees(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(root.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


def rooms(root: Path, package: str) -> tuple[set[str], dict[tuple[str, str], int]]:
    """Return the rooms of a package, and for each pair of them how many imports lead from one to the other."""
    base = root / package
    dotted = "steadyhand." + package.replace("/", ".") + "."
    found: set[str] = set()
    arrows: Counter[tuple[str, str]] = Counter()

    for path, tree in trees(base):
        own = path.relative_to(base).with_suffix("").parts[0]
        if own == "__init__":
            continue
        found.add(own)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and (node.module + ".").startswith(dotted):
                rest = node.module.removeprefix(dotted.rstrip(".")).strip(".")
                for other in [rest.split(".")[0]] if rest else [name.name for name in node.names]:
                    if other != own:
                        arrows[own, other] += 1
    return found, {pair: count for pair, count in arrows.items() if pair[1] in found}


def circles(arrows: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    return sorted(pair for pair in arrows if (pair[1], pair[0]) in arrows and pair[0] < pair[1])


def report(root: Path) -> None:
    for package in PACKAGES:
        found, arrows = rooms(root, package)
        folders = sum((root / package / room).is_dir() for room in found)
        print(
            f"{package:18} {len(found):3} rooms ({folders} folders), {len(arrows):3} arrows; both ways: {circles(arrows) or 'none'}"
        )
    classes: dict[str, list[str]] = defaultdict(list)
    functions: Counter[str] = Counter()
    lines = 0
    for path, tree in trees(root):
        lines += len(path.read_text("utf-8").splitlines())
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(str(path.relative_to(root)))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and PARTICIPLES.fullmatch(node.name.split("_")[0]):
                functions[node.name] += 1
    twice = {name: places for name, places in classes.items() if len(places) > 1}
    print(f"class names: {len(classes)}, that stand more than once: {len(twice)}")
    print(
        f"functions named by a participle: {sum(functions.values())} ({', '.join(f'{n} {c}' for n, c in functions.most_common(8))})"
    )
    print(f"lines of source: {lines}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    report(parser.parse_args().root / "src" / "steadyhand")


if __name__ == "__main__":
    main()
