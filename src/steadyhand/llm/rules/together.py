"""Decides how several clauses of one message are carried out: all are looked into first, and it must not begin one while another cannot be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Outcome, Steps


@dataclass(frozen=True, slots=True)
class Errand:
    """One clause that was understood: how its plan begins, and whether it does more than look."""

    begin: Callable[[], Steps]
    acts: bool


def together(asked: Asked, clauses: Sequence[Errand]) -> Steps:
    """Carry out *clauses* in their order; when one of those that act cannot be, none is begun."""
    if len(clauses) == 1:
        return (yield from clauses[0].begin())
    trouble = yield from _looked_into([clause.begin() for clause in clauses if clause.acts])
    if trouble is not None:
        return Answer(asked.say("rules.nothing_done", reason=trouble.text), well=False)
    texts: list[str] = []
    for place, clause in enumerate(clauses):
        answer = yield from clause.begin()
        texts.append(answer.text)
        if not answer.well:
            if place + 1 < len(clauses):
                texts[-1] = asked.say("rules.not_begun", reason=answer.text)
            return Answer("\n\n".join(texts), well=False)
    return Answer("\n\n".join(texts))


def _looked_into(steps: Sequence[Steps]) -> Looks[Answer | None]:
    """Let every clause look, all at once, up to where it would act; return the answer of the first that would not."""
    wants: dict[int, Sequence[Call]] = {}
    ended: dict[int, Answer] = {}
    for place, one in enumerate(steps):
        _step(one, place, None, wants, ended)
    while True:
        looking = {place: calls for place, calls in wants.items() if not any(call.acts for call in calls)}
        if not looking:
            break
        answers = yield [call for calls in looking.values() for call in calls]
        for place, calls in looking.items():
            mine, answers = answers[: len(calls)], answers[len(calls) :]
            _step(steps[place], place, mine, wants, ended)
    for one in steps:
        one.close()
    return next((answer for _, answer in sorted(ended.items(), key=lambda item: item[0]) if not answer.well), None)


def _step(
    steps: Steps, place: int, answers: Sequence[Outcome] | None, wants: dict[int, Sequence[Call]], ended: dict[int, Answer]
) -> None:
    try:
        wants[place] = next(steps) if answers is None else steps.send(answers)
    except StopIteration as end:
        wants.pop(place, None)
        ended[place] = end.value
