"""The tables that each message finds as they were made."""

from pathlib import Path

import pytest

from steadyhand.core import logs
from steadyhand.core.language import LANGUAGES, Language
from wakeups.phrases.ground import Table


@pytest.fixture(scope="package")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, Table]:
    logs.configure("error")
    folder: Path = tmp_path_factory.mktemp("reminders")
    return {language: Table(folder / language, language) for language in LANGUAGES}
