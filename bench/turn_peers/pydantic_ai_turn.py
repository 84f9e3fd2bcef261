"""One turn of pydantic-ai's agent: streaming, one tool call, messages kept in memory. Run by bench/turn.py with the peers' Python."""

import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from timing import measure

port, count = sys.argv[1], int(sys.argv[2])
model = OpenAIChatModel("bench", provider=OpenAIProvider(base_url=f"http://127.0.0.1:{port}/v1", api_key="none"))
agent = Agent(model, instructions="You are a bench.")


@agent.tool_plain
def look(day: int) -> str:
    """Look at a day."""
    return f"day {day}: nothing"


async def turn(number: int) -> None:
    async with agent.run_stream(f"what about day {number}?") as result:
        text = "".join([piece async for piece in result.stream_text(delta=True, debounce_by=None)])
        assert text.endswith("word19 "), text


measure(turn, count)
