"""Decides what a command can see of this machine: inside a fence, the workspace and the system's programs; it must not run it.

The fence is `bwrap`: namespaces of their own for files, processes, users and network. Nothing of the person's home, of our database
or of our settings is there; only the workspace can be written; there is no network at all.
"""

from collections.abc import Sequence

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_FACTS = (
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
)


def bare(command: str) -> Sequence[str]:
    """Return the command line that runs *command* as it is, with the person's own rights."""
    return ("/bin/sh", "-c", "--", command)


def fenced(bwrap: str, workspace: str, command: str) -> Sequence[str]:
    """Return the command line that runs *command* inside the fence."""
    seen = [word for path in (*_SYSTEM, *_FACTS) for word in ("--ro-bind-try", path, path)]
    return (
        bwrap,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        *("--cap-drop", "ALL"),
        *seen,
        *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108  # a fresh one, which ends with the command
        *("--bind", workspace, workspace, "--chdir", workspace),
        "--",
        *bare(command),
    )
