"""The ground that these tests talk on: a draft that each test finds as it was made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from schedule_ground.spoken import Spoken, close_changes, draft_two, stand
from steadyhand.core import logs
from steadyhand.core.language import Language


@pytest.fixture(scope="package")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Language, Spoken]]:
    logs.configure("error")
    made: dict[Language, Spoken] = {}
    for language in ("zh-CN", "en"):
        folder: Path = tmp_path_factory.mktemp("spoken")
        made[language] = stand(folder, language)
    yield made
    for spoken in made.values():
        spoken.desk.store.close()


def as_made(spoken: Spoken) -> Spoken:
    close_changes(spoken.desk)
    draft_two(spoken.desk, spoken.language)
    spoken.last_list = None
    return spoken


@pytest.fixture
def zh(grounds: dict[Language, Spoken]) -> Spoken:
    """A session in Chinese: 复习[3] and the homework wait, 写作[4] and 讨论[5] are in the draft."""
    return as_made(grounds["zh-CN"])


@pytest.fixture
def en(grounds: dict[Language, Spoken]) -> Spoken:
    """A session in English: essay[3] and the homework wait, report[4] and reading[5] are in the draft."""
    return as_made(grounds["en"])
