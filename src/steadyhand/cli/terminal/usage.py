"""Decides how a command that was typed wrongly is told, in the person's language; it must not run anything."""

import click

from steadyhand.cli.terminal.frame import Frame, WordsLeft


def usage_text(error: click.UsageError, frame: Frame) -> str:
    """Say what is wrong with the words that were typed."""
    match error:
        case click.NoSuchOption():
            return frame.say("usage.no_such_option", name=error.option_name)
        case click.MissingParameter():
            return frame.say("usage.missing", name=_name(error))
        case click.BadParameter():
            return frame.say("usage.bad_value", name=_name(error), reason=_reason(error, frame))
        case click.BadOptionUsage():
            kind = "needs_value" if "requires" in error.message else "takes_no_value"
            return frame.say(f"usage.{kind}", name=error.option_name)
        case click.exceptions.NoSuchCommand():
            return frame.say("usage.no_such_command", name=error.command_name)
        case WordsLeft():
            return frame.say("usage.extra", words=error.message)
        case click.UsageError(ctx=click.Context(command=click.Group())):
            return frame.say("usage.nothing_named")
        case _:
            return frame.say("usage.other", reason=error.message)


def _reason(error: click.BadParameter, frame: Frame) -> str:
    """Say what a value may be; the library's own sentence only where its type has none of ours."""
    match error.param.type if error.param is not None else None:
        case click.Choice() as choice:
            return frame.say("usage.bad_choice", choices=", ".join(str(one) for one in choice.choices))
        case click.IntRange(min=low, max=high) if low is not None and high is not None:
            return frame.say("usage.bad_number_between", low=low, high=high)
        case click.types.IntParamType():
            return frame.say("usage.bad_number")
        case _:
            return error.message


def _name(error: click.BadParameter) -> str:
    if error.param is not None:
        return error.param.opts[0] if error.param.param_type_name == "option" else error.param.make_metavar(_context(error))
    return str(error.param_hint or "")


def _context(error: click.BadParameter) -> click.Context:
    return error.ctx or click.Context(click.Command("steady"))
