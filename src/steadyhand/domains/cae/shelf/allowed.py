"""Decides which Python a generated script may hold: a list of forms, and nothing beside it. It must not run one.

The compiler writes only these forms; this looks at the text again just before it runs, in the process that runs it.
"""

import ast
from typing import Final

from steadyhand.core.errors import Bug

MODULE: Final = "steadyhand.domains.cae.engine.script"
IMPORTED: Final = frozenset({"BEAM", "BOX", "CIRC", "PIPE", "QUAD", "RECT", "TRI", "X", "Y", "Z", "open_model", "preflight"})
FUNCTIONS: Final = frozenset({"len", "open_model", "RuntimeError"})
PART_METHODS: Final = frozenset(
    {
        "Element", "Elements", "Fix", "Force", "Gravity", "Grid", "Node", "NodeSet", "Pressure", "SectionAssignment", "Set",
        "Symmetry", "audit", "clear", "deleteElement", "deleteNode", "linearArray", "mergeNodes", "mirror", "pickElements",
        "pickNodes", "polarArray", "refine", "removeDuplicateElements", "removeFreeNodes", "removeLoad", "removeSet",
        "removeSupport", "resolveNodes", "rotate", "translate",
    }
)  # fmt: skip  # a list of names
MODEL_METHODS: Final = frozenset(
    {"BeamSection", "Material", "ShellSection", "StaticJob", "finish", "importDeck", "part", "restoreVersion"}
)
PREFLIGHTS: Final = frozenset(
    {
        "apart", "array_fits", "elements", "faces", "is_empty", "n1_stands", "nodes", "refine_fits", "section_fits",
        "tolerance_fits",
    }
)  # fmt: skip  # a list of names
PART_VALUES: Final = frozenset({"nodes", "elements"})
TARGET: Final = "SAM_AGENT_TARGET"
MOST_BYTES: Final = 64 * 1024 * 1024
_VALUES = (
    ast.Module, ast.Expr, ast.alias, ast.Name, ast.Load, ast.Store, ast.Tuple, ast.Starred, ast.keyword,
    ast.UnaryOp, ast.USub, ast.Compare, ast.NotEq, ast.BoolOp, ast.Or,
)  # fmt: skip  # a list of names


def require_allowed(text: str) -> None:
    """Raise `Bug` ``script_not_allowed`` for the first form in *text* that no generated script has, naming its line."""
    if len(text) > MOST_BYTES:
        raise Bug("script_not_allowed", line=0, form="length")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Bug("script_not_allowed", line=getattr(error, "lineno", 0) or 0, form=type(error).__name__) from None
    for node in ast.walk(tree):
        if not _fits(node):
            raise Bug("script_not_allowed", line=getattr(node, "lineno", 0), form=type(node).__name__)
    _require_order(tree)


def _fits(node: ast.AST) -> bool:  # one case for each form is the clearest list of them
    match node:
        case ast.ImportFrom(module=module, names=names, level=0):
            return module == MODULE and all(one.name in IMPORTED and one.asname is None for one in names)
        case ast.Name(id=name):
            return not name.startswith("_")
        case ast.Assign(targets=[target]):
            return isinstance(target, ast.Name) and target.id not in IMPORTED | FUNCTIONS | {TARGET}
        case ast.Attribute():
            return _reaches(node)
        case ast.Call(func=function):
            return isinstance(function, ast.Attribute) or (isinstance(function, ast.Name) and function.id in FUNCTIONS)
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(), ctx=ast.Load()):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="RuntimeError")), cause=None):
            return True
        case ast.If(orelse=[]):
            return all(isinstance(one, ast.Raise) for one in node.body)
        case ast.Constant(value=value):
            return value is None or type(value) in (bool, int, float, str)
        case _:
            return isinstance(node, _VALUES)


def _reaches(node: ast.Attribute) -> bool:
    """Tell whether an attribute is one of the words of the API on the object that has it."""
    name, owner = node.attr, node.value
    if name.startswith("_") or not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(owner, ast.Name):
        if owner.id == "preflight":
            return name in PREFLIGHTS
        if owner.id == "model":
            return name in MODEL_METHODS
        return owner.id == "part" and name in PART_METHODS | PART_VALUES
    return (
        name == "submit"
        and isinstance(owner, ast.Call)
        and isinstance(owner.func, ast.Attribute)
        and owner.func.attr == "StaticJob"
    )


def _require_order(tree: ast.Module) -> None:
    """Require the one import on top and the completion marker at the end, so that neither is left out or comes twice."""
    body = tree.body
    first, last = (body[0], body[-1]) if body else (None, None)
    finishes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "finish"]
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ends = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and last.value.func in finishes
    if not isinstance(first, ast.ImportFrom) or len(imports) != 1 or not ends or len(finishes) != 1:
        raise Bug("script_not_allowed", line=getattr(last, "lineno", 0), form="order")
