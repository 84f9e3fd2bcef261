"""Decides how a command that was typed wrongly is told, in the person's language; it must not run anything."""

import click

from steadyhand.cli.frame import Frame


def usage_text(error: click.UsageError, frame: Frame) -> str:
    """Say what is wrong with the words that were typed."""
    match error:
        case click.NoSuchOption():
            return frame.say("usage.no_such_option", name=error.option_name)
        case click.MissingParameter():
            return frame.say("usage.missing", name=_name(error))
        case click.BadParameter():
            return frame.say("usage.bad_value", name=_name(error), reason=error.message)
        case click.BadOptionUsage():
            return frame.say("usage.bad_option", name=error.option_name)
        case _:
            return frame.say("usage.other", reason=error.message)


def _name(error: click.BadParameter) -> str:
    if error.param is not None:
        return error.param.opts[0] if error.param.param_type_name == "option" else error.param.make_metavar(_context(error))
    return str(error.param_hint or "")


def _context(error: click.BadParameter) -> click.Context:
    return error.ctx or click.Context(click.Command("steady"))
