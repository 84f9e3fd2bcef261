"""Decides how a change of a part is said in English: what a statement, and a place in it, may look like. It must not hold one that negates or asks."""

from collections.abc import Mapping
from typing import Final

BETWEEN: Final = (
    r" ?(?:[,;\n!。、]|\.(?= |$)) ?|(?: |(?<=[ ,;\n]))(?:and then|and also|and|then|finally|afterwards|next)(?: |$)| (?=with )"
)
OPENERS: Final = r"please|pls|now|first|i want to|i want|i need|i would like to|i'd like to|let us|let's"
CLOSERS: Final = r"please|thanks|thank you"
JOINT: Final = r"(?:, and | ?, ?| and )"

_MAKE = "[build |make |create |draw |add |model |generate ]"
_ONE = "[a |an |one |the |another ]"
_FLAT = "[flat |plane |rectangular |thin |flat rectangular ]"
_PLATE = "(plate|sheet|panel)"
_DELETE = "(delete|remove|drop|clean up)"
_OF = "[of |is |= |=|: ]"
_ALONG = "[by |along |to |over |a distance of ]"
_AXIS = "[the ]{axis:axis}[ axis|-axis]"
_EACH = "(spacing|spaced|spacing of|spaced by|with spacing|step|a step of|each moved by|each|apart by)"
_SMALL = "[small ]"
_ON = "(on|at|along|over|to|of) [the |all |all the ]"
_MATERIAL = "[{material:material} ]"
_E = "(e|young's modulus|youngs modulus|elastic modulus|modulus)[ of| is|:| =|=] {youngs:modulus}"
_E_TIGHT = "e={youngs:modulus}"
_NU = "(nu|poisson|poisson's ratio|poisson ratio|poissons ratio)[ of| is|:| =|=] {poisson:ratio}"
_NU_TIGHT = "nu={poisson:ratio}"
_RHO = "(density|rho)[ of| is|:| =|=] {density:density}"
_RHO_TIGHT = "rho={density:density}"

CELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "all": (
        "everything",
        "all",
        "it",
        "it all",
        "(all|all the|all of the) elements",
        "the (whole|entire) (part|model)",
        "the (part|model)",
    ),
    "set": ("[the |all ][elements (of|in) ][the ]set {name:name}", "set {name:name}"),
    "labels": ("[the ](element|elements) {labels:labels}",),
    "side": ("[the |all ][the ]elements (at|on) [the ]{side:side}[ side| edge| end]",),
    "plane": ("[the |all ][the ]elements (at|on|in|in the plane) {axis:axis}[ ]=[ ]{at:length}",),
    "box": ("[the |all ][the ]elements in the box [from ]{low:point} to {high:point}",),
    "shape": ("[the |all |all the ]{shape:shape}",),
}
SAMPLE_CELLS: Final = "all elements"

SPOTS: Final[Mapping[str, tuple[str, ...]]] = {
    "short": ("[the |both |both the |two |the two ]short (edges|sides|ends)",),
    "one_short": ("(one|a single|one of the) short (edge|side|end|edges|sides|ends)",),
    "long": ("[the |both |both the |two |the two ]long (edges|sides)",),
    "one_long": ("(one|a single|one of the) long (edge|side|edges|sides)",),
    "edges": (
        "[all ][the ](four|outer) (edges|sides)",
        "all [the ](edges|sides)",
        "[all around ]the (boundary|perimeter|circumference)",
    ),
    "set": ("[the ][nodes (of|in) ][the ][node |element ]set {name:name}",),
    "hands": ("[the |both the ](left and right|right and left) (edges|sides|ends)",),
    "side": ("[the ]{side:side}[ side| edge| end| face]", "[the ](side|edge|end) {side:side}"),
    "plane": (
        "[the ][nodes |edge |side |end |line |face ][at |on |in |with ][the plane ]{axis:axis}[ ]=[ ]{at:length}",
        "[the ]{axis:axis}[ ]=[ ]{at:length} (edge|side|end|plane|line|face)",
    ),
    "labels": ("[the ](node|nodes) {labels:labels}",),
    "box": ("[the |all ][the ]nodes in the box [from ]{low:point} to {high:point}",),
}
SAMPLE_SPOTS: Final = "the edge x = 0"

PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "plate": (
        f"{_MAKE}{_ONE}{_FLAT}{_MATERIAL}{_PLATE}[ of| measuring|,|:] {{size:sizes}}",
        f"{_MAKE}{_ONE}{_FLAT}{_MATERIAL}{_PLATE}[ of| measuring|,|:] {{size:sizes}}[,| and] {{thickness:size}} thick",
        f"{_MAKE}{_ONE}{{size:sizes}} {_FLAT}{_MATERIAL}{_PLATE}",
        f"{_MAKE}{_ONE}{{thickness:size}} thick[,] {_FLAT}{_MATERIAL}{_PLATE}[ of| measuring|,|:] {{size:sizes}}",
        f"{_MAKE}{_ONE}{{thickness:size}} thick[,] {{size:sizes}} {_FLAT}{_MATERIAL}{_PLATE}",
        f"{_MAKE}{_ONE}{_FLAT}{_MATERIAL}{_PLATE}[,] {{length:size}} long[,| and| by] {{width:size}} wide",
    ),
    "beam": (
        f"{_MAKE}{_ONE}[straight ](beam|bar|stiffener|girder) from {{p:point}} to {{q:point}}",
        f"from {{p:point}} to {{q:point}} {_MAKE}{_ONE}(beam|bar|stiffener|girder)",
    ),
    "triangle": (
        f"{_MAKE}{_ONE}(triangle|tri|triangular element) (over|on|through|with|between|at) [the ][three ][points |corners |nodes ]{{points:three}}",
    ),
    "quad": (
        f"{_MAKE}{_ONE}(quad|quadrilateral|quad element) (over|on|through|with|between|at) [the ][four ][points |corners |nodes ]{{points:four}}",
    ),
    "element_size": (
        "[with |in |use |using ](elements|cells) (of|of size|of about|sized) {value:size}",
        f"[with |use |using ][an |a ](element|mesh|cell) size {_OF}{{value:size}}",
        "[with |in |use |using ]{value:size} (elements|cells|mesh)",
        f"element length {_OF}{{value:size}}",
    ),
    "divisions": (
        "(divided|split|cut|meshed|divide it|split it) [into |in ]{value:counts}[ elements| divisions| cells| parts]",
        "[with |in ]{value:counts} (elements|divisions|cells)",
    ),
    "origin": (
        "[with ][the |its |a |one ][lower left |bottom left |first ](corner|origin) (at|in) {value:point}",
        "starting at {value:point}",
    ),
    "center": ("[with ][the |its ](center|centre|middle) (at|in) {value:point}", "(centered|centred) (at|on) {value:point}"),
    "in_plane": ("[lying ](in|on|parallel to) the {value:plane}(-| )plane", "in {value:plane}"),
    "new_set": (
        "[and ](put|collect|store|save|group|gather) (it|them|these|the new elements) (in|into|as) [a |the ][new ][element ]set[ named| called] {name:new}",
        "(create|make|define|build) (a|an|the) [new ][element ]set[ named| called| of them| of it] {name:new}",
        "as [a |the ][new ]set[ named| called] {name:new}",
        "name the set {name:new}",
    ),
    "copy": (
        f"(translate|move|shift) a copy [of {{where:cells}} ]{_ALONG}{{vector:step}}",
        f"copy [{{where:cells}} ]{_ALONG}{{vector:step}}",
        f"make a copy [of {{where:cells}} ][moved |translated |shifted ]{_ALONG}{{vector:step}}",
        f"copy [{{where:cells}} ](and|and then) (translate|move|shift) (it|the copy|them) {_ALONG}{{vector:step}}",
        "(translate|move|shift) a copy [of {where:cells} ]{distance:size} [along |in ]{signed:signed}[ direction]",
        "copy [{where:cells} ]{distance:size} [along |in ]{signed:signed}[ direction]",
    ),
    "move": (
        f"(translate|move|shift) {{where:cells}} {_ALONG}{{vector:step}}",
        "(translate|move|shift) [by ]{vector:step}",
        "(translate|move|shift) {where:cells} [by ]{distance:size} [along |in ]{signed:signed}[ direction]",
    ),
    "rotate": (
        f"(rotate|turn) [{{where:cells}} ](about|around) {_AXIS} by {{degrees:angle}}( degrees| deg|°)",
        f"(rotate|turn) [{{where:cells}} ][by ]{{degrees:angle}}( degrees| deg|°) (about|around) {_AXIS}[ through {{point:point}}]",
        f"(rotate|turn) [{{where:cells}} ](about|around) {_AXIS} through {{point:point}} by {{degrees:angle}}( degrees| deg|°)",
    ),
    "rotate_copy": (
        f"(rotate|turn) a copy [of {{where:cells}} ][by ]{{degrees:angle}}( degrees| deg|°) (about|around) {_AXIS}[ through {{point:point}}]",
        f"(rotate|turn) a copy [of {{where:cells}} ](about|around) {_AXIS}[ through {{point:point}}] by {{degrees:angle}}( degrees| deg|°)",
    ),
    "mirror_copy": (
        f"mirror a copy [of {{where:cells}} ](in|about|across|along) {_AXIS}",
        "mirror a copy [of {where:cells} ](in|about|across|at) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
        f"copy [{{where:cells}} ]mirrored (in|about|across|along) {_AXIS}",
        "copy [{where:cells} ]mirrored (in|about|across|at) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
    ),
    "mirror": (
        f"mirror {{where:cells}} (in|about|across|along) {_AXIS}",
        "mirror {where:cells} (in|about|across|at) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
    ),
    "linear_array": (
        f"{_MAKE}[a |an ]linear array [of {{where:cells}} ][with |of |, ]{{count:count}}[ copies|x][,] {_EACH} [of |by ]{{vector:step}}",
        f"array [{{where:cells}} ][with |of ]{{count:count}} copies[,] {_EACH} [of |by ]{{vector:step}}",
        f"{_MAKE}[a |an ]linear array [of {{where:cells}} ][with |of |, ]{{count:count}}[ copies|x] along [the ]{{signed:signed}}[ axis][,] {_EACH} [of |by ]{{distance:size}}",
    ),
    "polar_array": (
        f"{_MAKE}[a ](polar|circular) array [of {{where:cells}} ][with |of ]{{count:count}}[ copies] (about|around) {_AXIS}[ through {{point:point}}][,][ with| each| every| at] {{degrees:angle}}( degrees| deg|°)[ each| apart]",
    ),
    "merge": (
        f"(merge|stitch|weld) [the |all ][coincident |duplicate |double ]nodes[,] (within|tolerance|with tolerance|with a tolerance of|within a tolerance of) {_OF}{{tolerance:size}}",
        "(merge|stitch|weld) [the |all ][coincident |duplicate |double ]nodes",
    ),
    "duplicates": (f"{_DELETE} [the |all |any ](duplicate|duplicated|double) elements", "deduplicate[ elements| the elements]"),
    "free_nodes": (f"{_DELETE} [the |all |any ](free|unused|orphan|loose) nodes",),
    "audit": (
        "(audit|check|inspect) (it|the part|the model|the geometry|everything)",
        "audit",
        "[run |do |make ]an audit",
        "check",
    ),
    "audit_mesh": ("(audit|check|inspect) the mesh[ quality]", "(audit|check) mesh quality"),
    "audit_property": ("(audit|check|inspect) the (materials and sections|properties|section assignments|sections|materials)",),
    "refine": (
        "refine [{where:cells} |the mesh ]{levels:times}",
        "refine [the mesh ]{levels:times}[,] only [the ]{only:shape}",
        "refine only [the ]{only:shape} {levels:times}",
        "(subdivide|halve) {where:cells} {levels:times}",
    ),
    "delete_elements": ("(delete|remove|drop) [the ](element|elements) {labels:labels}",),
    "delete_nodes": ("(delete|remove|drop) [the ](node|nodes) {labels:labels}",),
    "delete_region": (
        "(delete|remove|drop) [all ][the ]elements (of|in) [the ]set {set:name}",
        "(delete|remove|drop) [all ][the ]elements (at|on) [the ]{side:side}[ side| edge| end]",
        "(delete|remove|drop) [all ][the ]elements (at|on|in) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
        "(delete|remove|drop) [all ][the ]elements in the box [from ]{low:point} to {high:point}",
    ),
    "remove_set": ("(remove|delete|drop) [the ]set {name:name}",),
    "preset": ("[made |make it ][of |out of |in |from |use |using |material |material: |the material is ]{material:material}",),
    "material": tuple(
        f"[define |use |with ][a |the ]material[:] {name}[,| with|:| with an]{values}"
        for name in ("{preset:material}", "{name:new}")
        for values in (
            *(f" {e}[,| and] {nu}" for e in (_E, _E_TIGHT) for nu in (_NU, _NU_TIGHT)),
            *(
                f" {e}[,| and] {nu}[,| and|, and] {rho}"
                for e in (_E, _E_TIGHT)
                for nu in (_NU, _NU_TIGHT)
                for rho in (_RHO, _RHO_TIGHT)
            ),
        )
    )
    + tuple(f"[define |use |with ][a |the ]material[:] {{preset:material}}[,| with|:| with an] {e}" for e in (_E, _E_TIGHT)),
    "thickness": (
        "[it is ]{thickness:size} thick",
        f"[with |with a |a |the |shell |plate ]thickness {_OF}{{thickness:size}}",
        "(make|set) {where:cells} {thickness:size} thick",
        "give {where:cells} [a ]thickness [of ]{thickness:size}",
    ),
    "rect": (
        "[with |use |using ][a |the ](rectangular|rect) [cross ][cross-]section[ of|:|,] {size:sizes}",
        "[with |use |using ][a |the ]{size:sizes} (rectangular|rect) [cross ][cross-]section",
    ),
    "circ": (
        "[with |use |using ][a |the ](round|circular) [cross ][cross-]section[ of|,| with] [a ]radius [of ]{radius:size}",
        "[with |use |using ][a |the ](round|circular) [cross ][cross-]section[ of|,| with] [a ]diameter [of ]{diameter:size}",
    ),
    "pipe": (
        "[with |use |using ][a |the ]pipe [cross ][cross-]section[ of|,| with] [an |a ][outer ]radius [of ]{radius:size}[,| and] [a ]wall [thickness ][of ]{wall:size}",
        "[with |use |using ][a |the ]pipe [cross ][cross-]section[ of|,| with] [an |a ][outer ]diameter [of ]{diameter:size}[,| and] [a ]wall [thickness ][of ]{wall:size}",
    ),
    "boxed": (
        "[with |use |using ][a |the ]box [cross ][cross-]section[ of|:|,] {size:sizes}[,| with| and] [a ]wall [thickness ][of ]{wall:size}",
    ),
    "n1": ("[with ][the ](direction|section direction|n1)[ of| is|:| along| =] {value:direction}", "n1={value:direction}"),
    "fix": (
        "(fix|clamp|encastre|fully fix) [along ]{place:spots}",
        "{place:spots} (fixed|clamped|is fixed|are fixed|is clamped|are clamped|fully fixed)",
        "(fixed|clamped) (along|at|on) {place:spots}",
        "[apply |add ]a (fixed|clamped) support (along|at|on) {place:spots}",
    ),
    "pin": (
        "(pin|simply support|hinge) [along ]{place:spots}",
        "{place:spots} (pinned|simply supported|hinged|is pinned|are pinned|is simply supported|are simply supported)",
        "(pinned|simply supported|hinged) (along|at|on) {place:spots}",
    ),
    "hold": (
        "(restrain|constrain|fix|lock) {place:spots} in {axes:axes}[ only| direction| directions]",
        "(restrain|constrain|fix|lock) {axes:axes} (of|at|along|on) {place:spots}",
    ),
    "symmetry": (
        "[a |apply |use ][a ]symmetry [plane |condition |support ](at|about|in|on|along) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
        "{axis:axis}[ ]=[ ]{at:length} is a (symmetry plane|plane of symmetry)",
        "symmetric (about|in|at) [the plane ]{axis:axis}[ ]=[ ]{at:length}",
    ),
    "remove_support": ("(remove|delete|drop) [the ](support|boundary condition) {name:name}",),
    "remove_load": ("(remove|delete|drop) [the ]load {name:name}",),
    "pressure": (
        f"[apply |add |put |with ][a ][uniform ](pressure|surface pressure) {_OF}{{magnitude:pressure}}",
        f"[apply |add |put ][a ][uniform ](pressure|surface pressure) {_OF}{{magnitude:pressure}} (on|to|over) {{where:cells}}",
        "[apply |add |put ][a ]{magnitude:pressure} [uniform ]pressure[ load]",
        "[apply |add |put ][a ]{magnitude:pressure} [uniform ]pressure[ load] (on|to|over) {where:cells}",
    ),
    "force": (
        f"[apply |add |put ][a ](total force|force in all|resultant force) {_OF}{{components:forces}} (on|at|along|to) {{place:spots}}",
        f"(on|at|along) {{place:spots}}[,] [apply |add |put ][a ](total force|resultant force) {_OF}{{components:forces}}",
        f"[apply |add |put ][a ]force {_OF}{{components:forces}} in (all|total) (on|at|along|to) {{place:spots}}",
    ),
    "force_each": (
        f"[apply |add |put ][a ]force {_OF}{{components:forces}} (on|at) each node (of|at|along|on) {{place:spots}}",
        f"(on|at|along) {{place:spots}}[,] [apply |add |put ][a ]force {_OF}{{components:forces}} (per|on each|at each) node",
    ),
    "force_plain": (
        f"[apply |add |put ][a ]force {_OF}{{components:forces}} (on|at|along|to) {{place:spots}}",
        f"(on|at|along) {{place:spots}}[,] [apply |add |put ][a ]force {_OF}{{components:forces}}",
    ),
    "force_along": (
        f"[apply |add |put ][a ][total ]force {_OF}{{magnitude:force}} (along|in) {{signed:signed}}[ direction] (on|at|along|to) {{place:spots}}",
        f"(on|at|along) {{place:spots}}[,] [apply |add |put ][a ][total ]force {_OF}{{magnitude:force}} (along|in) {{signed:signed}}[ direction]",
        "(push|pull|load) {place:spots} with {magnitude:force} (along|in) {signed:signed}[ direction]",
    ),
    "gravity": (
        "[apply |add |with |under ](gravity|self weight|self-weight|its own weight|own weight)",
        "[apply |add |with ](gravity|self weight|self-weight) (along|in) {signed:signed}[ direction]",
        f"[apply |add |with ](gravity|acceleration) {_OF}{{components:acceleration}}",
    ),
    "solve": (
        "(solve|solve it|solve the part|solve the model|run the job|run a static analysis|do a static analysis|run the static analysis|static analysis|run the solver)",
    ),
    "solve_accurately": (
        "(solve|solve it)[,] (accurately|precisely|with second order elements|with s8r|in second order|second order|with second-order elements)",
        "accurately solve[ it]",
    ),
}
