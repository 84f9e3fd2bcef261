"""Decides how labels are written: in runs where that is shorter, at most 16 in a line; it must not know what the set is for."""

import numpy as np

from steadyhand.domains.cae.engine.mesh import Labels

IN_A_LINE = 16


def runs_of(labels: Labels) -> Labels:
    """Return (n, 2) first and last of each run of labels that follow each other."""
    if not len(labels):
        return np.zeros((0, 2), np.int64)
    breaks = np.flatnonzero(np.diff(labels) != 1)
    return np.column_stack((labels[np.concatenate(([0], breaks + 1))], labels[np.concatenate((breaks, [len(labels) - 1]))]))


def set_text(keyword: str, spelled: str, labels: Labels) -> str:
    """Return the lines of ``*NSET`` or ``*ELSET`` for labels, of which there is at least one."""
    runs = runs_of(labels)
    if 3 * len(runs) < len(labels):
        rows = "\n".join(f"{first}, {last}, 1" for first, last in runs.tolist())
        return f"*{keyword}, {keyword}={spelled}, GENERATE\n{rows}\n"
    texts = [str(label) for label in labels.tolist()]
    rows = "\n".join(", ".join(texts[at : at + IN_A_LINE]) for at in range(0, len(texts), IN_A_LINE))
    return f"*{keyword}, {keyword}={spelled}\n{rows}\n"
