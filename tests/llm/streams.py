"""What tests of streams share: the cases, the assembler run over bytes, and how far two outcomes are apart."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from steadyhand.core.wire import Completion
from steadyhand.llm.assemble import Assembler
from steadyhand.llm.conformance import Case, read_cases
from steadyhand.llm.provider import ProviderError

FOLDERS = [Path(__file__).parents[1] / "cases" / name for name in ("streams", "streams_more")]
CASES = [case for folder in FOLDERS for case in read_cases(folder)]
TOOLS = tuple({tool.name: tool for case in CASES for tool in case.tools}.values())
MADE_ID = re.compile(r"call_[0-9a-f]{20}")


@dataclass(frozen=True)
class Read:
    """What came of a stream: the completion or the error, and the text that was shown on the way."""

    completion: Completion | None
    error: ProviderError | None
    shown: str = ""
    thought: str = ""

    @property
    def calls(self):
        """The calls, without what is made up for them, in an order of their own: the index, which orders them, may be damaged."""
        found = self.completion.tool_calls if self.completion is not None else ()
        told = [("*" if MADE_ID.fullmatch(one.id) else one.id, one.name, json.loads(one.arguments)) for one in found]
        return sorted(told, key=lambda call: (call[1], json.dumps(call[2], sort_keys=True), call[0]))


def read(chunks, tools=TOOLS, *, broken=False) -> Read:
    """Run the assembler over *chunks*; nothing but a completion or a `ProviderError` may come of them."""
    assembler = Assembler(tools)
    deltas = []
    try:
        for chunk in chunks:
            deltas += assembler.feed(chunk)
        completion, error = assembler.end(broken=broken), None
    except ProviderError as failure:
        completion, error = None, failure
    return Read(completion, error, "".join(one.text for one in deltas), "".join(one.reasoning for one in deltas))


def read_case(case: Case, chunks=None) -> Read:
    recorded = case.recorded
    return read(recorded.chunks if chunks is None else chunks, case.tools, broken=not recorded.clean)


def is_stream(case: Case) -> bool:
    return case.recorded.status == 200
