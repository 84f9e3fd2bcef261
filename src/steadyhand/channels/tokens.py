"""Decides which secrets let somebody in over a channel: one for OneBot, named by the settings, one for the web, made here. It must not show them."""

import os

from steadyhand.core.config import Settings
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.private_file import read_private, secret_in

WEB_FILE = "web-token"
LEAST, MOST = 16, 512


def web_token(settings: Settings) -> str:
    """Return the token of the web channel, from a file in the data folder; the first time one is made."""
    file = settings.data_dir / WEB_FILE
    return _usable(secret_in(file), "web", str(file))


def onebot_token(settings: Settings) -> str | None:
    """Return the token of OneBot; None when the settings name none."""
    if settings.onebot_token_env:
        return _usable(os.environ.get(settings.onebot_token_env, "").strip(), "onebot", settings.onebot_token_env)
    if settings.onebot_token_file is not None:
        file = settings.onebot_token_file.expanduser()
        return _usable(read_private(file), "onebot", str(file))
    return None


def _usable(token: str, channel: str, place: str) -> str:
    if not token:
        raise SettingsInvalid("channel_token_missing", channel=channel, place=place)
    if not LEAST <= len(token) <= MOST or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsInvalid("channel_token_short", channel=channel, place=place, least=LEAST, most=MOST)
    return token
