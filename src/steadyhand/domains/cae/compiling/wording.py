"""Decides how an operation is said to a person, with its numbers and units; it must not decide what it does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from steadyhand.core.arguments import shown
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.engine.shapes import dofs_named

Call: TypeAlias = Mapping[str, Any]
MOST_LABELS: Final = 10
_NODES: Final = frozenset({"fix", "symmetry", "force"})


class Wording:
    """Words for operations in one language."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"cae.review.{message}", **params)

    def operation(self, tool: str, call: Call) -> str:
        """Return one operation in words."""
        return _SAID[tool](self, call)

    def parts(self, parts: Iterable[str]) -> str:
        """Return several things that one operation does."""
        return self._say("and").join(parts)

    def some(self, names: Iterable[object]) -> str:
        """Return names or labels, the first of many."""
        held = [str(name) for name in names]
        listed = self._say("list").join(held[:MOST_LABELS])
        return listed if len(held) <= MOST_LABELS else self._say("more", listed=listed, count=len(held))

    def region(self, where: Call, *, nodes: bool = False) -> str:
        """Return where something applies."""
        way = next(way for way in ("set", "labels", "box", "plane", "side", "all") if where.get(way) is not None)
        said = self._say(f"region.{way}_{'nodes' if nodes else 'elements'}", **self._place(way, where[way]))
        shapes = cast("Sequence[str]", where.get("shapes") or ())
        return self._say("region.shapes", region=said, shapes=self.some(shapes)) if shapes else said

    def _place(self, way: str, value: Any) -> dict[str, object]:
        if way == "box":
            return {corner: vector(value[corner]) for corner in ("minimum", "maximum")}
        if way == "plane":
            return {"axis": value["axis"], "at": number(value["at"])}
        if way == "labels":
            return {"labels": self.some(value)}
        return {"name": value, "side": value}

    def _added(self, call: Call, points: Sequence[str]) -> str:
        """Return what a build or an edit adds, behind what it takes."""
        shapes = cast("Mapping[str, int]", call.get("shape_counts") or {})
        made = [self.some(f"{count} {shape}" for shape, count in shapes.items() if count)] if any(shapes.values()) else []
        plates = [self._plate(grid) for grid in call.get("grids", ())]
        sets = [self._say("said.new_set", name=entry["name"]) for entry in call.get("element_sets", ())]
        return self.parts([*points, *made, *plates, *sets])

    def _taken(self, call: Call) -> list[str]:
        parts = [self._say("said.clear_all")] if call.get("clear_all") else []
        if call.get("delete_element_labels"):
            parts.append(self._say("said.delete_elements", labels=self.some(call["delete_element_labels"])))
        if call.get("delete_region"):
            parts.append(self._say("said.delete_region", region=self.region(call["delete_region"])))
        if call.get("delete_node_labels"):
            parts.append(self._say("said.delete_nodes", labels=self.some(call["delete_node_labels"])))
        if call.get("remove_sets"):
            parts.append(self._say("said.remove_sets", names=self.some(call["remove_sets"])))
        return parts

    def _plate(self, grid: Call) -> str:
        along, across = grid["divisions"]
        edges = {name: vector(grid[name]) for name in ("origin", "u", "v")}
        return self._say("said.plate", id=grid["id"], along=along, across=across, **edges)

    def build(self, call: Call) -> str:
        """Return a build."""
        count = call.get("nodes_count", 0)
        points = [self._say("said.points", count=count)] if count else []
        return self._say("said.build_part", added=self._added(call, points))

    def edit(self, call: Call) -> str:
        """Return an edit."""
        count = call.get("nodes_count", 0)
        points = [self._say("said.points_edit", count=count)] if count else []
        return self._say("said.edit_part", added=self._added(call, [*self._taken(call), *points]))

    def transform(self, call: Call) -> str:
        """Return transforms."""
        return self._say("said.transform_part", parts=self.parts(self._transform(one) for one in call["operations"]))

    def _transform(self, one: Call) -> str:
        vectors = {name: vector(one[name]) for name in ("vector", "point", "direction", "normal") if name in one}
        plain = {"degrees": number(one["degrees"])} if "degrees" in one else {}
        kind = one["kind"] + ("_copy" if one.get("copy_elements") else "")
        return self._say(f"said.{kind}", region=self.region(one["region"]), count=one.get("count", 1), **vectors, **plain)

    def repair(self, call: Call) -> str:
        """Return a repair."""
        parts: list[str] = []
        if call.get("merge_tolerance") is not None:
            tolerance = number(call["merge_tolerance"])
            where = call.get("region")
            parts.append(
                self._say("said.merge", tolerance=tolerance)
                if where is None
                else self._say("said.merge_region", tolerance=tolerance, region=self.region(where))
            )
        parts += [self._say("said.duplicates")] if call.get("remove_duplicate_elements") else []
        parts += [self._say("said.free_nodes")] if call.get("remove_free_nodes") else []
        return self._say("said.repair_part", parts=self.parts(parts))

    def refine(self, call: Call) -> str:
        """Return a refinement."""
        given = cast("Call", call.get("region") or {"all": True})
        where: Call = {**given, "shapes": call.get("shapes") or given.get("shapes")}
        return self._say("said.refine_mesh", region=self.region(where), count=call["levels"])

    def define(self, call: Call) -> str:
        """Return definitions."""
        parts = [
            self._say(
                "said.material",
                name=one["name"],
                youngs=number(one["youngs"]),
                poisson=number(one["poisson"]),
                density=number(one["density"]),
            )
            for one in call.get("materials", ())
        ]
        for one in call.get("shell_sections", ()):
            sizes = {name: number(one[name]) for name in ("thickness", "offset")}
            parts.append(self._say("said.shell_section", name=one["name"], material=one["material"], **sizes))
        for one in call.get("beam_sections", ()):
            sizes = {name: vector(one[name]) for name in ("dimensions", "offset")}
            named = {name: one[name] for name in ("name", "material", "profile")}
            parts.append(self._say("said.beam_section", **named, **sizes))
        return self._say("said.define_property", parts=self.parts(parts))

    def assign(self, call: Call) -> str:
        """Return assignments."""
        parts: list[str] = []
        for one in call["assignments"]:
            region = self.region(one["region"])
            if one.get("n1") is None:
                parts.append(self._say("said.assignment", section=one["section"], region=region))
            else:
                parts.append(self._say("said.assignment_n1", section=one["section"], region=region, n1=vector(one["n1"])))
        return self._say("said.assign_property", parts=self.parts(parts))

    def boundary(self, call: Call) -> str:
        """Return supports."""
        parts = [self._say("said.remove", names=self.some(call["remove"]))] if call.get("remove") else []
        for one in call.get("supports", ()):
            region = self.region(one["region"], nodes=True)
            if one["kind"] == "fix":
                parts.append(self._say("said.fix", name=one["name"], region=region, dofs=dofs_named(one["dofs"])))
            else:
                parts.append(self._say("said.symmetry", name=one["name"], region=region, axis=one["axis"]))
        return self._say("said.apply_boundary", parts=self.parts(parts))

    def load(self, call: Call) -> str:
        """Return loads."""
        parts = [self._say("said.remove", names=self.some(call["remove"]))] if call.get("remove") else []
        parts += [self._load(one) for one in call.get("loads", ())]
        return self._say("said.apply_load", parts=self.parts(parts))

    def _load(self, one: Call) -> str:
        kind = one["kind"]
        if kind == "gravity":
            return self._say("said.gravity", name=one["name"], components=vector(one["components"]))
        region = self.region(one["region"], nodes=kind in _NODES)
        if kind == "pressure":
            return self._say("said.pressure", name=one["name"], region=region, magnitude=number(one["magnitude"]))
        message = "said.force_total" if one["share"] == "total" else "said.force_each"
        return self._say(message, name=one["name"], region=region, components=vector(one["components"]))

    def audit_part(self, call: Call) -> str:
        """Return an audit of the part."""
        return self._say("said.audit_part", tolerance=number(call["tolerance"]))

    def audit_property(self, call: Call) -> str:
        """Return an audit of properties."""
        del call
        return self._say("said.audit_property")

    def audit_mesh(self, call: Call) -> str:
        """Return an audit of the mesh."""
        return self._say("said.audit_mesh", tolerance=number(call["tolerance"]))

    def run(self, call: Call) -> str:
        """Return a job."""
        return self._say("said.run_job", name=call["name"], elements=self.elements(call["elements"]))

    def elements(self, word: str) -> str:
        """Return the elements of a job, or that they are chosen by the part."""
        return self._say("elements_auto") if word == "auto" else word

    def bring(self, call: Call) -> str:
        """Return an import."""
        return self._say("said.import_deck", file=shown(call["file"]))

    def restore(self, call: Call) -> str:
        """Return a restoring."""
        return (
            self._say("said.restore_version", version=call["version"]) if call["version"] else self._say("said.restore_nothing")
        )


_SAID: Final[Mapping[str, Callable[[Wording, Call], str]]] = {
    "build_part": Wording.build,
    "edit_part": Wording.edit,
    "transform_part": Wording.transform,
    "repair_part": Wording.repair,
    "refine_mesh": Wording.refine,
    "define_property": Wording.define,
    "assign_property": Wording.assign,
    "apply_boundary": Wording.boundary,
    "apply_load": Wording.load,
    "audit_part": Wording.audit_part,
    "audit_property": Wording.audit_property,
    "audit_mesh": Wording.audit_mesh,
    "run_job": Wording.run,
    "import_deck": Wording.bring,
    "restore_version": Wording.restore,
}


def number(value: float) -> str:
    """Return a number as people write it."""
    return f"{value + 0.0:.12g}"


def vector(values: Iterable[float]) -> str:
    """Return numbers that belong together."""
    return f"({', '.join(number(value) for value in values)})"
