"""An application of the third-party framework NoneBot, run as a child: it tells what it understood, and answers each private message.

The first line of its output is its port; each further one is JSON.
"""

import asyncio
import json
import os
import socket
import sys
from typing import Any

import nonebot
import uvicorn
from nonebot.adapters.onebot.v11 import ActionFailed, Adapter, Bot, Message, MessageSegment, NetworkError, PrivateMessageEvent
from nonebot.log import logger
from nonebot.message import event_preprocessor


def tell(what: dict[str, Any]) -> None:
    print(json.dumps(what, ensure_ascii=False), flush=True)  # noqa: T201  # this is how the child speaks


async def main() -> None:
    logger.remove()
    nonebot.init(
        driver="~fastapi",
        log_level="ERROR",
        onebot_access_token=os.environ["TOKEN"],
        api_timeout=float(sys.argv[1]),
        _env_file=None,
    )
    nonebot.get_driver().register_adapter(Adapter)

    @event_preprocessor
    async def heard(bot: Bot, event: PrivateMessageEvent) -> None:
        quoted = str(event.reply.message_id) if event.reply else None
        tell(
            {"self": bot.self_id, "from": event.user_id, "id": event.message_id, "text": event.get_plaintext(), "quotes": quoted}
        )
        message = MessageSegment.reply(event.message_id) + Message(
            MessageSegment.text(f"heard [{event.get_plaintext()}] & thanks")
        )
        try:
            tell({"sent": await bot.send_private_msg(user_id=event.user_id, message=message)})
        except ActionFailed as error:
            tell({"failed": error.info.get("retcode")})
        except NetworkError:
            tell({"silence": True})

    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    tell({"port": bound.getsockname()[1]})
    config = uvicorn.Config(nonebot.get_asgi(), log_config=None, lifespan="on", ws="websockets-sansio")
    await uvicorn.Server(config).serve(sockets=[bound])


asyncio.run(main())
