"""One turn of LangGraph's prebuilt agent: streaming, one tool call, with the saver that is named. Run by bench/turn.py with the peers' Python."""

import asyncio
import sys
import tempfile
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from timing import measure

port, count, saver_name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
model = ChatOpenAI(model="bench", base_url=f"http://127.0.0.1:{port}/v1", api_key="none", streaming=True, stream_usage=True)


@tool
def look(day: int) -> str:
    """Look at a day."""
    return f"day {day}: nothing"


agents: dict[str, object] = {}
folder = Path(tempfile.mkdtemp())


async def agent() -> object:
    if "one" not in agents:
        if saver_name == "memory":
            saver = InMemorySaver()
        else:
            agents["open"] = AsyncSqliteSaver.from_conn_string(str(folder / "saved.db"))
            saver = await agents["open"].__aenter__()
            await saver.setup()
        agents["one"] = create_agent(model, [look], system_prompt="You are a bench.", checkpointer=saver)
    return agents["one"]


async def turn(number: int) -> None:
    made = await agent()
    question = {"messages": [{"role": "user", "content": f"what about day {number}?"}]}
    text = ""
    thread = {"configurable": {"thread_id": f"t{number}"}}
    async for piece, _ in made.astream(question, thread, stream_mode="messages", durability="sync"):
        if piece.type == "AIMessageChunk" and isinstance(piece.content, str):
            text += piece.content
    assert text.endswith("word19 "), text
    if saver_name != "memory" and number == count + 19:
        await agents["open"].__aexit__(None, None, None)
        await asyncio.sleep(0)


measure(turn, count)
