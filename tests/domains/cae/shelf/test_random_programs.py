"""Random programs, with a failure at a random operation and without: the committed part never changes by a run that fails.

500 run in this process through the functions that the child calls, 25 in real children. Without a failure the result is that of the
same operations, one after the other.
"""

import random
import shutil

import pytest

from steadyhand.domains.cae.engine import assigning, building, deleting, loading, moving, naming
from steadyhand.domains.cae.engine.affine import mirror, rotation, translation
from steadyhand.domains.cae.engine.deck.writing import deck_text
from steadyhand.domains.cae.engine.digests import regions
from steadyhand.domains.cae.engine.duplicates import remove_duplicate_elements
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.free_nodes import remove_free_nodes
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.properties import Material, ShellSection
from steadyhand.domains.cae.engine.refining import refine
from steadyhand.domains.cae.engine.regions import Region, elements_in, nodes_in
from steadyhand.domains.cae.engine.shapes import QUAD, TRI
from steadyhand.domains.cae.engine.stage import Stage
from steadyhand.domains.cae.shelf.bodies import load, perform
from steadyhand.domains.cae.shelf.records import at
from trial_parts.stand import PLATE, Bench, program, script

PROGRAMS, WITH_CHILDREN, GROUP = 500, 25, 25
FAILURES = (
    ("part.deleteElement(labels=(2147483647,))", "unknown_element"),
    ("part.Elements(nodes=((1, 2, 13, 12),), elemShape='QUAD')", "script_failed"),
    ("at = part.resolveNodes(((0.0, 0.0, 0.0),))\npart.Elements(nodes=((at[0], at[0], at[0]),), elemShape=TRI)", "repeated_node"),
    ("part.pickElements(set='nowhere')", "unknown_set"),
    ("part.mergeNodes(tolerance=1000000.0)", "tolerance_too_large"),
    ("if len(part.nodes) != 0:\n    raise RuntimeError('injected')", "script_failed"),
    ("part.SectionAssignment(elements=part.pickElements(everything=True), sectionName='none')", "section_missing"),
)
EVERYTHING = Region(everything=True)


def every(part):
    return elements_in(part, EVERYTHING)


def operations(rng):
    """Return a random program as pairs: a line of a script, and the same said to the engine."""
    return [rng.choice(KINDS)(rng, place) for place in range(rng.randint(2, 6))]


def grid(rng, place):
    x, n = float(rng.randint(-500, 500)), rng.randint(1, 5)
    line = f"part.Grid(origin=({x}, 0.0, 0.0), u=(40.0, 0.0, 0.0), v=(0.0, 30.0, 5.0), divisions=({n}, 2))"
    return line, lambda part: building.grid(part, (x, 0.0, 0.0), (40.0, 0.0, 0.0), (0.0, 30.0, 5.0), (n, 2))


def triangle(rng, place):
    x = float(rng.randint(-50, 50))
    points = ((x, 0.0, 40.0), (x + 10.0, 0.0, 40.0), (x, 10.0, 40.0))
    line = f"nodes_{place} = part.resolveNodes({points})\npart.Elements(nodes=((nodes_{place}[0], nodes_{place}[1], nodes_{place}[2]),), elemShape=TRI)"
    return line, lambda part: building.add_elements(part, TRI, [list(building.resolve(part, points))])


def copy(rng, place):
    z = float(rng.randint(1, 900))
    line = f"part.translate(elements=part.pickElements(everything=True), vector=(0.0, 0.0, {z}), copy=True)"
    return line, lambda part: moving.copy(part, every(part), translation((0.0, 0.0, z)))


def turn(rng, place):
    angle = float(rng.randint(1, 359))
    said = f"point=(0.0, 0.0, 0.0), direction=(0.0, 0.0, 1.0), degrees={angle}"
    line = f"part.rotate(elements=part.pickElements(everything=True), {said}, copy=False)"
    return line, lambda part: moving.move(part, every(part), rotation((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), angle))


def reflect(rng, place):
    line = "part.mirror(elements=part.pickElements(shapes=(QUAD,), everything=True), point=(200.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0), copy=True)"
    quads = Region(everything=True, shapes=(QUAD,))
    return line, lambda part: moving.copy(part, elements_in(part, quads), mirror((200.0, 0.0, 0.0), (1.0, 0.0, 0.0)))


def delete(rng, place):
    labels = tuple(sorted(rng.sample(range(1, 61), 3)))
    lines = f"part.deleteNode(labels={labels})"
    return lines, lambda part: deleting.delete_nodes(part, labels)


def clean(rng, place):
    def cleaned(part):
        merge_nodes(part, 1e-3)
        remove_duplicate_elements(part)
        remove_free_nodes(part)

    return "part.mergeNodes(tolerance=0.001)\npart.removeDuplicateElements()\npart.removeFreeNodes()", cleaned


def halve(rng, place):
    line = "part.refine(levels=1, elemShapes=(QUAD, TRI), elements=part.pickElements(side='xmin', shapes=(QUAD,)))"
    line = line.replace("side='xmin'", "everything=True")
    quads = Region(everything=True, shapes=(QUAD,))
    return line, lambda part: refine(part, 1, (QUAD, TRI), elements_in(part, quads))


def name(rng, place):
    line = f"part.Set(name='set_{place}', elements=part.pickElements(everything=True))"
    return line, lambda part: naming.put_element_set(part, f"set_{place}", every(part))


def give(rng, place):
    thickness = float(rng.randint(1, 9))
    line = (
        f"model.Material(name='m{place}', youngs=210000.0, poisson=0.3)\n"
        f"model.ShellSection(name='s{place}', material='m{place}', thickness={thickness})\n"
        f"part.SectionAssignment(elements=part.pickElements(everything=True), sectionName='s{place}')"
    )

    def given(part):
        assigning.put_material(part, Material(f"m{place}", 210000.0, 0.3))
        assigning.put_section(part, ShellSection(f"s{place}", f"m{place}", thickness))
        assigning.assign(part, every(part), f"s{place}")

    return line, given


def hold(rng, place):
    line = f"part.Fix(name='fix_{place}', nodes=part.pickNodes(side='ymin'), dofs=(1, 2, 3))"
    return line, lambda part: loading.put_fix(part, f"fix_{place}", nodes_in(part, Region(side="ymin")), (1, 2, 3))


def push(rng, place):
    line = f"part.Pressure(name='p_{place}', elements=part.pickElements(everything=True), magnitude=0.5)"
    return line, lambda part: loading.put_pressure(part, f"p_{place}", every(part), 0.5)


KINDS = (grid, triangle, copy, turn, reflect, delete, clean, halve, name, give, hold, push)


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("committed"))
    bench.execute(program(PLATE), "chg_first")
    return bench


def staged(bench, folder):
    """Lay a copy of the committed part on a stage, as the child does."""
    manifest = at(bench.folder).manifest
    part = load(bench.folder.version(manifest.version), manifest.deck)
    return Stage("panel", "plate", part, folder)


def ended(bench, wanted):
    """Run the operations on a copy, one after the other; return the part, and the code of the one that was refused."""
    part = staged(bench, bench.folder.path).part
    for _, operation in wanted:
        try:
            operation(part)
        except EngineRefusal as refused:
            return part, refused.code
    return part, None


@pytest.mark.parametrize("group", range(PROGRAMS // GROUP))
def test_a_failure_at_a_random_operation_never_changes_what_is_committed(committed, tmp_path, group):
    before = committed.reachable()
    for number in range(group * GROUP, (group + 1) * GROUP):
        rng = random.Random(number)
        wanted = operations(rng)
        _, refused = ended(committed, wanted)
        place = rng.randint(0, len(wanted))
        failure, code = rng.choice(FAILURES)
        lines = [line for line, _ in wanted]
        receipt = perform(script(*lines[:place], failure, *lines[place:]), staged(committed, tmp_path))
        assert receipt["status"] == "FAIL", (number, receipt)
        assert receipt["code"] in (code, refused), (number, receipt)
        assert not (tmp_path / "part.inp").exists()
        assert committed.reachable() == before


@pytest.mark.parametrize("group", range(PROGRAMS // GROUP))
def test_without_a_failure_the_result_is_that_of_the_operations_in_order(committed, tmp_path, group):
    before = committed.reachable()
    for number in range(group * GROUP, (group + 1) * GROUP):
        wanted = operations(random.Random(number))
        part, refused = ended(committed, wanted)
        stage = staged(committed, tmp_path)
        receipt = perform(script(*(line for line, _ in wanted)), stage)
        assert receipt.get("code") == refused, (number, receipt)
        assert stage.part.faults() == []
        assert regions(stage.part) == regions(part), number
        if refused is None:
            assert (tmp_path / "part.inp").read_text(encoding="utf-8") == "".join(deck_text(part))
            (tmp_path / "part.inp").unlink()
    assert committed.reachable() == before


def test_in_real_children_too_what_is_committed_stays(committed, tmp_path):
    shutil.copytree(committed.folder.root.parent, tmp_path, dirs_exist_ok=True)
    bench = Bench(tmp_path)
    before = bench.reachable()
    for number in range(WITH_CHILDREN):
        rng = random.Random(10_000 + number)
        wanted = [line for line, _ in operations(rng)]
        failure, _ = rng.choice(FAILURES)
        wanted.insert(rng.randint(0, len(wanted)), failure)
        with pytest.raises(Exception) as raised:  # of whichever code
            bench.execute(program(*wanted))
        assert raised.value.code
        assert bench.reachable() == before
    assert [*(bench.folder.path / "staging").iterdir()] == []
    wanted = [copy(random.Random(1), 0), clean(None, 1), give(random.Random(2), 2)]
    bench.execute(program(*(line for line, _ in wanted)))
    part, _ = ended(committed, wanted)
    assert dict(bench.observe().footprint) == regions(part)
