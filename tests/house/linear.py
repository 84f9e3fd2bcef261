"""Decides by its structure whether a pattern can take more than linear time; it must not run it.

The pattern becomes an automaton of its character positions (Glushkov). More than linear time needs two different loops p and q
and a word that leads from p to p, from p to q and from q to q (a pattern that may begin anywhere has one more loop in front).
"""

import ast
import re
from dataclasses import dataclass, field
from re import _constants as c
from re import _parser as parser

MANY = 512
"""A repetition of at most so many, tried from every place of a text, is a constant factor, and so are two whose product is no more."""
_COPIES = 6
"""A repetition of at most so many is no loop beside another either."""
_CATEGORY = {
    c.CATEGORY_DIGIT: str.isdigit,
    c.CATEGORY_SPACE: str.isspace,
    c.CATEGORY_WORD: lambda ch: ch.isalnum() or ch == "_",
}
_NOT = {
    c.CATEGORY_NOT_DIGIT: c.CATEGORY_DIGIT,
    c.CATEGORY_NOT_SPACE: c.CATEGORY_SPACE,
    c.CATEGORY_NOT_WORD: c.CATEGORY_WORD,
}
_ALWAYS = "0aA_ \n\t\u3000-中一!\"'\\<>[](){}.,:;|#*~`"


@dataclass
class Part:
    """A piece of the pattern: whether it can be empty, and the positions that it can begin and end with."""

    empty: bool
    first: set[int] = field(default_factory=set)
    last: set[int] = field(default_factory=set)


class Automaton:
    def __init__(self, pattern, *, anywhere, whole):
        text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        self.flags = pattern.flags
        self.tree = parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
        self.alphabet = sorted({*_ALWAYS, *self._letters(self.tree)})
        self.sets, self.follow, self.most = [], [], []
        body = self._sequence(self.tree)
        self.whole = whole or self._ends(self.tree)
        self.accepting = body.last
        self.front, self.heads = None, set(body.first)
        begins = self._begins(self.tree)
        if anywhere and begins != "string":
            self.front = self._position(set(self.alphabet))
            self.most[self.front] = int(c.MAXREPEAT)
            heads = {self.front} | body.first
            if begins == "line":
                line = self._position({"\n"})
                self.follow[line] |= body.first
                heads = {self.front, line}
            self.follow[self.front] |= heads
            self.heads |= heads

    def _letters(self, tree):
        for op, arg in tree:
            if op in (c.LITERAL, c.NOT_LITERAL):
                yield from {chr(arg), chr(arg).swapcase()[:1]}
            elif op is c.IN:
                for kind, value in arg:
                    if kind is c.LITERAL:
                        yield from {chr(value), chr(value).swapcase()[:1]}
                    elif kind is c.RANGE:
                        yield from {chr(value[0]), chr(value[1]), chr((value[0] + value[1]) // 2)}
            else:
                for one in self._inner(op, arg):
                    yield from self._letters(one)

    def _inner(self, op, arg):
        if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            return [arg[2]]
        if op is c.SUBPATTERN:
            return [arg[3]]
        if op is c.BRANCH:
            return arg[1]
        return [arg] if op is c.ATOMIC_GROUP else []

    def _position(self, chars):
        self.sets.append(frozenset(chars))
        self.most.append(0)
        self.follow.append(set())
        return len(self.sets) - 1

    def _fold(self, test):
        if self.flags & re.IGNORECASE:
            return {ch for ch in self.alphabet if test(ch) or test(ch.swapcase()[:1])}
        return {ch for ch in self.alphabet if test(ch)}

    def _one(self, kind, value):
        if kind is c.LITERAL:
            return lambda ch: ord(ch) == value
        if kind is c.RANGE:
            return lambda ch: value[0] <= ord(ch) <= value[1]
        if kind is c.CATEGORY:
            if value in _NOT:
                return lambda ch: not _CATEGORY[_NOT[value]](ch)
            return _CATEGORY[value]
        raise AssertionError(kind)

    def _chars(self, op, arg):
        if op is c.ANY:
            return set(self.alphabet) - (set() if self.flags & re.DOTALL else {"\n"})
        if op is c.LITERAL:
            return self._fold(lambda ch: ord(ch) == arg)
        if op is c.NOT_LITERAL:
            return set(self.alphabet) - self._fold(lambda ch: ord(ch) == arg)
        negated = arg[0][0] is c.NEGATE
        tests = [self._one(kind, value) for kind, value in arg if kind is not c.NEGATE]
        found = self._fold(lambda ch: any(test(ch) for test in tests))
        return set(self.alphabet) - found if negated else found

    def _sequence(self, tree):
        whole = Part(True)
        for op, arg in tree:
            whole = self._then(whole, self._piece(op, arg))
        return whole

    def _then(self, one, two):
        for end in one.last:
            self.follow[end] |= two.first
        return Part(
            one.empty and two.empty,
            one.first | two.first if one.empty else one.first,
            one.last | two.last if two.empty else two.last,
        )

    def _piece(self, op, arg):
        if op in (c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN):
            at = self._position(self._chars(op, arg))
            return Part(False, {at}, {at})
        if op in (c.AT, c.ASSERT, c.ASSERT_NOT):
            return Part(True)
        if op is c.SUBPATTERN:
            return self._sequence(arg[3])
        if op is c.ATOMIC_GROUP:
            return self._sequence(arg)
        if op is c.BRANCH:
            parts = [self._sequence(one) for one in arg[1]]
            return Part(
                any(p.empty for p in parts), set().union(*(p.first for p in parts)), set().union(*(p.last for p in parts))
            )
        if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            return self._repeat(*arg)
        raise AssertionError(op)

    def _repeat(self, least, most, tree):
        whole = Part(True)
        for _ in range(min(least, _COPIES)):
            whole = self._then(whole, self._sequence(tree))
        if most is c.MAXREPEAT or most > _COPIES:
            begin = len(self.sets)
            loop = self._sequence(tree)
            for at in range(begin, len(self.sets)):
                self.most[at] = min(max(self.most[at], 1) * int(most), int(c.MAXREPEAT))
            for end in loop.last:
                self.follow[end] |= loop.first
            loop.empty = True
            return self._then(whole, loop)
        for _ in range(min(most - least, _COPIES)):
            one = self._sequence(tree)
            one.empty = True
            whole = self._then(whole, one)
        return whole

    def _begins(self, tree):
        for op, arg in tree:
            if op is c.AT and arg in (c.AT_BEGINNING, c.AT_BEGINNING_STRING):
                return "line" if arg is c.AT_BEGINNING and self.flags & re.MULTILINE else "string"
            if op is c.SUBPATTERN:
                return self._begins(arg[3])
            return ""
        return ""

    def _ends(self, tree):
        return bool(tree) and tree[-1][0] is c.AT and tree[-1][1] in (c.AT_END, c.AT_END_STRING)

    def reachable(self, start):
        found, todo = set(), [start]
        while todo:
            for after in self.follow[todo.pop()]:
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return found

    def ambiguous(self):
        """Return two loops that one text can be in, with the word that shows it; None when there are none."""
        self.reach = [self.reachable(at) for at in range(len(self.sets))]
        loops = [at for at in range(len(self.sets)) if at in self.reach[at]]
        for p in loops:
            if self.most[p] > MANY and self._can_fail(p) and self._two_ways(p):
                return p, p
            for q in loops:
                if p != q and q in self.reach[p] and not self._short(p, q) and self._can_fail(q) and self._together(p, q):
                    return p, q
        return None

    def _short(self, p, q):
        """Tell whether the two loops together are a constant factor: of those tried anywhere, the front itself does not count."""
        return self.most[q] * (1 if p == self.front else self.most[p]) <= MANY

    def _can_fail(self, q):
        """Tell whether q can be reached with nothing accepted on the way: what was accepted once is not tried again."""
        if self.whole:
            return True
        found, todo = set(), [at for at in self.heads if at not in self.accepting]
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += [after for after in self.follow[at] if after not in self.accepting]
        return q in found

    def _together(self, p, q):
        """Tell whether one word leads from p to p, from p to q and from q to q, each on ways that come back."""
        start, goal = (p, p, q), (p, q, q)
        around = [{at for at in self.reach[one] if one in self.reach[at]} for one in (p, q)]
        between = {at for at in self.reach[p] if q in self.reach[at]} | {q}
        seen, todo = {start}, [start]
        while todo:
            a, b, d = todo.pop()
            for x in self.follow[a] & around[0]:
                for y in self.follow[b] & between:
                    shared = self.sets[x] & self.sets[y]
                    for z in self.follow[d] & around[1] if shared else ():
                        if shared & self.sets[z]:
                            if (x, y, z) == goal:
                                return True
                            if (x, y, z) not in seen:
                                seen.add((x, y, z))
                                todo.append((x, y, z))
        return False

    def _two_ways(self, p):
        seen, todo = set(), [(p, p, False)]
        while todo:
            a, b, apart = todo.pop()
            for x in self.follow[a]:
                for y in self.follow[b]:
                    if self.sets[x] & self.sets[y]:
                        one = (x, y, apart or x != y)
                        if one == (p, p, True):
                            return True
                        if one not in seen:
                            seen.add(one)
                            todo.append(one)
        return False


SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
METHODS = SEARCHING | {"match", "fullmatch"}


def is_linear(pattern, methods):
    """Tell whether *pattern*, used by these methods, takes time in proportion to its text."""
    return Automaton(pattern, anywhere=bool(SEARCHING & methods), whole="fullmatch" in methods).ambiguous() is None


def patterns_of(source, module):
    """Yield (name, pattern, methods that it is used by) for each pattern that *module* keeps under a name of its own."""
    tree = ast.parse(source)
    used, walked = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
        elif isinstance(node, ast.For | ast.comprehension):
            targets = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
            for one in ast.walk(node.iter):
                if isinstance(one, ast.Name):
                    walked.setdefault(one.id, set()).update(targets)
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and "re.compile(" in ast.unparse(statement):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                methods = _methods(target.id, used, walked, frozenset()) or METHODS
                for pattern in _within(getattr(module, target.id)):
                    yield target.id, pattern, methods


def _methods(name, used, walked, seen):
    found = set(used.get(name, ()))
    for inner in walked.get(name, set()) - seen:
        found |= _methods(inner, used, walked, seen | {inner})
    return found


def _within(value):
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (pattern for pair in value.items() for one in pair for pattern in _within(one))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (pattern for one in value for pattern in _within(one))
