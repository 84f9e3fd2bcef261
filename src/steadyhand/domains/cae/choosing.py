"""Decides what the command /module does: show, set or forget a session's choice. Only a person's own command comes here, never a model's call."""

from typing import cast, get_args

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.calls.table import MODULES, ModuleName
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.domains.cae.shelf.places import PartName, part_name

USUAL_MODEL = "main"
"""The model of a part whose model is not said."""
OFF = frozenset({"off", "none", "关", "关闭", "取消", "退出"})
WORDS = {
    "部件": "part",
    "属性": "property",
    "网格": "mesh",
    "载荷": "load",
    "分析": "analysis",
}
"""The modules' Chinese names; the English ones are the modules' own."""


class Choosing:
    """Answers ``/module``, ``/module MODULE [PART]`` and ``/module off``."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    async def answer(self, user: UserId, session: SessionId, language: Language, words: str) -> str:
        """Carry out the command's *words*; a part that is not there yet may be chosen: it is what a first geometry is built as."""
        now = await self._choices.read(user, session)
        match words.split():
            case []:
                return _standing(now, language)
            case [word] if word.lower() in OFF:
                await self._choices.drop(user, session)
                return say(language, "cae.module.off")
            case [module]:
                if now is None:
                    raise ToolRefusal("cae_part_not_named", module=_module(module))
                chosen = Choice(_module(module), now.model, now.part)
            case [module, part]:
                name = named(part)
                chosen = Choice(_module(module), name.model, name.part)
            case _:
                raise ToolRefusal("cae_module_unreadable", modules=" ".join(MODULES))
        await self._choices.put(user, session, chosen)
        return _standing(chosen, language)


def named(text: str) -> PartName:
    """Read a part's name as a person says it: ``plate`` is that of the usual model. Raises `ToolRefusal` ``part_name_bad``."""
    return part_name(text if "/" in text else f"{USUAL_MODEL}/{text}")


def _module(word: str) -> ModuleName:
    module = WORDS.get(word, word.lower())
    if module not in get_args(ModuleName):
        raise ToolRefusal("cae_module_unknown", module=word[:40], modules=" ".join(MODULES))
    return cast("ModuleName", module)


def _standing(choice: Choice | None, language: Language) -> str:
    if choice is None:
        return say(language, "cae.module.none", modules=" ".join(MODULES))
    return say(language, "cae.module.chosen", module=say(language, f"cae.module.name.{choice.module}"), part=choice.name)


def shown_name(part: PartName) -> str:
    """Return what a person types for *part*: a part of the usual model goes by its own name."""
    return part.part if named(part.part) == part else str(part)
