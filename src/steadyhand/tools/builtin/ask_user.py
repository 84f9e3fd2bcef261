"""Decides how a question of the model is put to the person and parked; it must not read the answer or wait for it."""

from typing import Annotated, Any

from pydantic import Field

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.speech import require_speakable, same_to_the_eye
from steadyhand.tools.ports import Option, Question
from steadyhand.tools.result import ToolResult, error_result

KIND = "ask_user"
MAX_OPTIONS = 9
"""So that one digit chooses."""

Label = Annotated[str, Field(min_length=1, max_length=100)]


class AskUser(Arguments):
    """A question, and answers to choose from where there are some."""

    question: str = Field(min_length=1, max_length=2_000)
    options: list[Label] = Field(default=[], max_length=MAX_OPTIONS)


async def ask(context: ToolContext, arguments: AskUser) -> ToolResult:
    """Park the question and end the turn; the person's next message is the answer, and the text of the next turn."""
    require_speakable("question", arguments.question)
    labels = _labels(arguments.options)
    if context.ports.questions is None:
        return error_result(say(context.language, "asking.nobody"), code="nobody_to_ask")
    options = tuple(Option(label, label) for label in labels)
    await context.ports.questions.park(Question(KIND, arguments.question, options))
    lines = [arguments.question, *(f"{number}. {label}" for number, label in enumerate(labels, 1))]
    return ToolResult(
        say(context.language, "asking.parked"),
        for_user="\n".join(lines),
        data={"question": arguments.question, "options": list(labels)},
        ends_turn=True,
    )


def _labels(given: list[str]) -> tuple[str, ...]:
    """Return the labels, trimmed; refuses two that look alike and one that is the number of another."""
    labels = tuple(label.strip() for label in given)
    seen: set[str] = set()
    for number, label in enumerate(labels, 1):
        name = f"options[{number - 1}]"
        require_speakable(name, label, lines=False)
        form = same_to_the_eye(label)
        if form in seen:
            raise ToolRefusal("option_twice", argument=name)
        if form.isdecimal() and form != str(number) and 1 <= int(form) <= len(labels):
            raise ToolRefusal("option_is_a_number", argument=name)
        seen.add(form)
    return labels


ASK_USER: Tool[Any] = Tool("ask_user", "say", AskUser, ask)
