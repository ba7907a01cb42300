# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/reliability.md: what was tried, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

TITLES = {
    "kills": "Killed at any moment",
    "faults": "Calls of the system that fail",
    "damages": "Damaged files",
    "scenes": "Generated meshes and settings",
    "objects": "Generated objects in Blender",
    "rounds": "Again and again in one Blender",
}

WHAT = {
    "kills": "Processes simulate cloth on a moving table into a cache, with a checkpoint every "
    "five frames, and clear it when it is complete; each is ended by SIGKILL at a "
    "random moment, and the next one goes on with what it finds. After each "
    "kill every frame shown is compared with a run that was never stopped, and every "
    "frame that was said to be stored must be there.",
    "faults": "Opening, reading, writing, cutting, renaming or deleting a file fails once, at a "
    "random place of such a simulation; what is written may be half there. It has to "
    "end in a sentence, or to go on; nothing wrong is shown; and simulating again "
    "makes all frames, to the byte.",
    "damages": "One of a complete cache's files has bits flipped, is cut off, zeroed in part, "
    "too long, swapped with another or gone. Nothing wrong is shown, simulating again "
    "makes all frames to the byte, unless a file looks like another program's, which "
    "is said.",
    "scenes": "Cloth, strands, soft bodies and colliders of random shape, size, place and "
    "material, some of them inside out, doubled, flat or not manifold, by all four solvers. Each "
    "is simulated twice, the second time from a checkpoint of the first; what can't be is refused, "
    "or stopped, in a sentence. None may take more than a minute or show what is no number.",
    "objects": "Meshes of random shape, many with what is wrong with those of users (inside out, "
    "doubled, with holes, flat, with fins, loose edges or collapsed vertices, through themselves), "
    "some with modifiers, shape keys and animation, random values of up to a third of the panels' "
    "settings, some of them keyed or painted, as cloth, soft bodies and strands, beside "
    "colliders as bad and force fields, simulated through the add-on; half of them once more with "
    "a stop, after which the file is opened again. What can't be is refused in a sentence that "
    "names it. None may take more than a minute, show what is no number or go on otherwise.",
    "rounds": "A grid is made cloth, simulated, baked, unbaked, the latter two undone, and removed."
    " No handler or timer may be left over, and memory may not grow by 20 MB.",
}


Figures = Mapping[str, Mapping[str, int]]


def write(path: Path, figures: Figures, circumstances: str) -> None:
    """Write the page."""
    parts = [
        "# Reliability\n",
        "Written by `python build.py stress`, which fails where anything is not as it must be. "
        f"{circumstances}\n",
    ]
    for name, counts in figures.items():
        rows = [f"| {what} | {count:,} |" for what, count in counts.items()]
        table = "\n".join(["| | |", "|---|---:|", *rows])
        parts += [f"## {TITLES[name]}\n", f"{WHAT[name]}\n", f"{table}\n"]
    path.write_text("\n".join(parts), encoding="utf-8")
