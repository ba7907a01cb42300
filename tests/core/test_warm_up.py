# SPDX-License-Identifier: GPL-3.0-or-later
"""What the warm-up prepares is what a simulation needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fresh_process
import naive
import numba
import pytest

import core
from core import warm_up
from core.mesh import surface

pytestmark = pytest.mark.long

AUTOMATIC = {
    "substeps": 400,
    "iterations": 8,
    "largest_stretch": 0.03,
    "near_pins": True,
    "warm_start": 0.0,
}

COUNT = """
import sys
from pathlib import Path
from core import warm_up
folder = Path(sys.argv[1])
warm_up.use_cache(folder)
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
def found():
    return sorted(path.name for path in folder.rglob("*") if path.is_file())

solver, soft, options = sys.argv[2], sys.argv[3] == "soft", eval(sys.argv[4])
warm_up.warm_up(solver, volume=True, soft=soft, **options)
assert "run" in compiled, "compilations are not seen"
compiled.clear()
before = found()

import core, naive
from naive import solids
import numpy as np

def simulate(**chosen):
    model = core.Model(dtype=np.float32)
    positions, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    triangles = [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))]
    model.add_cloth(positions, quads, pins=[0, 8], thickness=0.01, strain_limits=(0.9, 1.1))
    model.add_cloth(positions * [1, 2, 1], triangles, stretch_damping=0.01, bend_damping=0.01)
    if solver == "XPBD":
        model.add_cloth(positions + [0, 0, 2], quads, compression=0.3)
        model.add_cloth(positions + [0, 0, 3], triangles, compression=0.3, stretch_damping=0.01)
    corner = np.vstack([np.zeros(3), np.eye(3)])
    model.add_cloth(corner, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)], volume_compliance=1e-5)
    model.add_strands(corner[:3], [(1, 0), (0, 2)], pins=[1])
    ground = np.array([(0.0, 0.0, -0.1), (1.0, 0.0, -0.1), (0.0, 1.0, -0.1)])
    collider = model.add_collider(ground, [(0, 1, 2)], two_sided=True)
    simulation = core.Simulation(model, getattr(core, solver)(**chosen))
    for frame in (1, 2):
        simulation.set_targets([0], positions[:1] + 0.01 * frame)
        collider.set_target(ground + 0.01 * frame)
        simulation.advance(1 / 24)
        simulation.report()

def simulate_soft(**chosen):
    model = core.Model(dtype=np.float32)
    box, quads = solids.box((0, 0, 0), (0.1, 0.1, 0.1))
    bodies = [
        model.add_soft_body(
            box + [0, 0, 0.12 * place], quads, pins=pins, cell_size=0.04, thickness=0.001, **more
        )
        for place, pins, more in [
            (0, np.flatnonzero(box[:, 2] == 0.0), {"damping": 0.01}),
            (1, None, {"poisson_ratio": 0.2}),
            (2, [0], {"energy": "corotational"}),
        ]
    ]
    sheet, squares = naive.quad_grid(4, 4, 0.1, 0.1)
    model.add_cloth(sheet + [0, 0, 0.4], squares)
    simulation = core.Simulation(model, getattr(core, solver)(**chosen))
    for frame in (1, 2):
        simulation.set_targets(bodies[0].pins[:1], simulation.positions[bodies[0].pins[:1]] + 0.001)
        simulation.advance(1 / 24)
        simulation.report()
        for body in bodies:
            simulation.surface(body)

for scene in [simulate] + soft * [simulate_soft]:
    scene(**options)
    scene(substeps=20)
print(compiled, [name for name in found() if name not in before])
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("solver", "bodies", "options"),
    [
        ("XPBD", "soft", AUTOMATIC),
        ("PBD", "thin", {"substeps": 160, "velocity_damping": 0.1}),
    ],
)
def test_nothing_is_compiled_after_the_warm_up(
    solver: str, bodies: str, options: dict[str, Any], tmp_path: Path
) -> None:
    printed, _ = fresh_process.run(COUNT, str(tmp_path), solver, bodies, repr(options))
    assert printed == "[] []\n"


def test_the_strain_of_a_cloth_is_ready_after_the_warm_up() -> None:
    warm_up._go_through(core.Simulation(warm_up._thin(False, "springs", 0.0)))
    ready = list(surface._fill_strain.signatures)
    assert ready
    positions, faces = naive.quad_grid(3, 3, 1.0, 1.0)
    model = core.Model()
    cloth = model.add_cloth(positions, faces)
    moved = core.Simulation(model).positions
    core.edge_strain(moved, cloth.edges, cloth.rest_lengths)
    assert surface._fill_strain.signatures == ready


def test_other_options_are_another_warm_up() -> None:
    warm_up.warm_up()
    assert warm_up.status() == "ready"
    assert warm_up.status("XPBD", largest_stretch=0.03) == "cold"
    assert warm_up.status("XPBD", volume=True) == "cold"
    assert warm_up.status("XPBD", soft=True) == "cold"
    assert warm_up.status("PBD") == "cold"
