# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in which everything moves that a simulation may have to go on with after a pause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import contact_scenes as scenes
import naive
import numpy as np

import core
from core.mesh.lattice import body_centred_box

FRAME = 1 / 24
FRAMES = 13

STANDS = 8
"""The last frame on which what shrinks does."""

SWELLS = 0.45
"""Seconds in which bodies swell, and shrink."""

AUTOMATIC: dict[str, Any] = {
    "substeps": 60, "iterations": 2, "largest_stretch": 0.03, "near_pins": True,
    "implicit_bending": True, "second_order": True,
}  # fmt: skip
"""The add-on's, with fewer substeps."""

TAMED: dict[str, Any] = {"stretch_compliance": 1e-3, "shear_compliance": 1e-2}


def sheet(model: core.Model, height: float, cells: int = 8, **options: Any) -> core.Cloth:
    points, quads = naive.quad_grid(cells, cells, 1.0, 1.0)
    return model.add_cloth(
        points + np.array([-0.5, -0.5, height]), quads, **{"thickness": 0.01} | options
    )


def spiral(model: core.Model, x: float, count: int = 12) -> None:
    turn = 0.6 * np.arange(count)
    points = np.stack([x + 0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.6 - 0.02 * turn], axis=1)
    links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    model.add_strands(
        points, links, pins=[0, 1], thickness=0.005, stretch_compliance=1e-4, bend_compliance=0.2
    )


def worn(frame: int) -> core.Model:
    """Cloth pulled at a corner, over a ball that turns; painted; keyed from frame 5 to 8."""
    model = core.Model()
    softness = 1e-3 * (1.0 + 0.3 * min(max(frame - 4, 0), 4))
    sheet(
        model,
        0.52,
        10,
        pins=[0, 1, 2, 11],
        pin_stiffness=np.array([np.inf, np.inf, 300.0, 300.0]),
        stretch_compliance=np.linspace(softness, 4.0 * softness, 121),
        bend_compliance=50.0,
        drag=0.1,
    )
    model.add_collider(*_ball(0), thickness=0.01)
    return model


def _ball(frame: int) -> scenes.Mesh:
    points, triangles = scenes.ball(6)
    turned = points @ scenes.rotation((1.0, 2.0, 3.0), 0.1 * frame).T
    turned[:, 0] *= 1.0 + 0.02 * frame
    return 0.5 * turned + [0.0, 0.01 * frame, 0.0], triangles


def pile(_frame: int) -> core.Model:
    """Sheets that fall on each other and a box, apart at first, and one that stays alone."""
    model = core.Model()
    for number, height in enumerate((0.03, 0.25, 0.6)):
        sheet(model, height, 6, friction=0.1 * number, **TAMED)
    points, quads = naive.quad_grid(4, 4, 0.5, 0.5)
    model.add_cloth(points + np.array([4.0, 0.0, 1.0]), quads, pins=[0], **TAMED)
    model.add_collider(*_table(0))
    return model


def _table(frame: int) -> scenes.Mesh:
    points, triangles = scenes.box((-0.4, -0.4, -0.3), (0.4, 0.4, 0.0))
    return points @ scenes.rotation((0.0, 0.3, 1.0), 0.03 * frame).T, triangles


def pressed(_frame: int) -> core.Model:
    """Sheets on a table, into which a corner is driven."""
    model = core.Model()
    for height in (0.05, 0.08):
        sheet(model, height, 6, **TAMED)
    model.add_collider(*_table(0))
    model.add_collider(*_corner(0))
    return model


def _corner(frame: int) -> scenes.Mesh:
    points, triangles = scenes.box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.4))
    way = np.array([0.02, 0.0, -0.045]) * frame + [0.0, 0.0, 0.2]
    return points @ scenes.rotation((0.3, 1.0, 0.2), 0.4).T + way, triangles


def tangled(_frame: int) -> core.Model:
    """A sheet that starts through another one."""
    model = core.Model()
    sheet(model, 0.0, 8, pins=[0, 8, 72, 80], **TAMED)
    points, quads = naive.quad_grid(6, 6, 0.5, 0.5)
    upright = points[:, [2, 0, 1]] + np.array([0.03, -0.21, -0.15])
    model.add_cloth(upright, quads, thickness=0.01, **TAMED)
    return model


def hair(_frame: int) -> core.Model:
    """Curls, and a twig that branches."""
    model = core.Model()
    spiral(model, 0.0)
    spiral(model, 0.5, 9)
    points = [
        (1, 0, 1),
        (1, 0, 0.9),
        (1, 0, 0.8),
        (1.05, 0, 0.72),
        (1.1, 0.02, 0.65),
        (0.93, 0, 0.72),
    ]
    model.add_strands(
        points,
        [(0, 1), (1, 2), (2, 3), (3, 4), (2, 5)],
        pins=[0, 1],
        stretch_compliance=1e-4,
        bend_compliance=0.2,
    )
    return model


def balloon(_frame: int) -> core.Model:
    """A ball that is blown up until after the last frame on which it is stopped."""
    points, triangles = scenes.ball(5)
    model = core.Model()
    model.add_cloth(
        0.3 * points + [0.0, 0.0, 0.35],
        triangles,
        volume_compliance=0.0,
        inflation=1.2,
        inflation_time=SWELLS,
        restitution=0.6,
        bend_compliance=10.0,
        **TAMED,
    )
    model.add_collider(*scenes.quad(2.0))
    return model


def torn(_frame: int) -> core.Model:
    """Cloth that yields, hung by a seam that tears, and a coil that resists twisting."""
    model = core.Model()
    upper = sheet(model, 1.0, 6, pins=[0, 1, 2, 3, 4, 5, 6], **TAMED)
    lower = sheet(model, 1.0, 6, plasticity=20.0, yield_bend=0.5, yield_stretch=0.001, **TAMED)
    seam = np.stack([upper.particles[-7:], lower.particles[-7:]], axis=1)
    model.add_stitches(seam, strength=3.0)
    turn = 0.6 * np.arange(14)
    coil = np.stack([2.0 + 0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.6 - 0.02 * turn], axis=1)
    links = np.stack([np.arange(13), np.arange(1, 14)], axis=1)
    model.add_strands(
        coil, links, pins=[0, 1], thickness=0.002, stretch_compliance=1e-4, bend_compliance=0.2,
        twist_compliance=0.3,
    )  # fmt: skip
    return model


def yielding(_frame: int) -> core.Model:
    """A sheet that stays as it is bent, and another one that falls onto it when it has yielded."""
    model = core.Model()
    crumpling = {"plasticity": 50.0, "yield_bend": 0.2, "bend_compliance": 20.0}
    sheet(model, 0.0, 6, pins=[0, 6, 42, 48], **TAMED, **crumpling)
    sheet(model, 0.15, 6, **TAMED, **crumpling)
    return model


def jelly(_frame: int) -> core.Model:
    """A soft body that swells and falls onto a plane."""
    model = core.Model()
    x, y, z = np.meshgrid(*[[-0.2, 0.2]] * 3, indexing="ij")
    corners = np.stack([x, y, z + 0.25], axis=-1).reshape(-1, 3)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    model.add_soft_body(
        corners, faces, cell_size=0.2, young_modulus=2e4, thickness=0.01, inflation=1.3,
        inflation_time=SWELLS,
    )  # fmt: skip
    model.add_collider(
        [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)], thickness=0.0
    )
    return model


def shrinking(_frame: int) -> core.Model:
    """A sheet on a ball and a soft body, whose cells get as small as their thicknesses."""
    model = core.Model()
    sheet(model, 0.55, thickness=0.07, **TAMED)
    points, tetrahedra = body_centred_box((3, 3, 6), (0.3, 0.3, 0.6))
    apart = points + np.array([4.0, 0.0, 0.0])
    model.add_soft_body(apart, tetrahedra=tetrahedra, young_modulus=2e4, thickness=0.06)
    model.add_collider(*_ball(0), thickness=0.01)
    return model


def rope(_frame: int) -> core.Model:
    model = core.Model()
    spiral(model, 0.0)
    points = np.stack([0.1 * np.arange(8), np.zeros(8), np.ones(8)], axis=1)
    links = np.stack([np.arange(7), np.arange(1, 8)], axis=1)
    model.add_strands(points, links, pins=[0], stretch_compliance=0.0, bend_compliance=1.0)
    return model


def let_go(frame: int) -> core.Model:
    """Cloth that yields, a curl and a jelly, held, from frame 2 on pulled, from 5 on held far away;
    behind them a sheet whose pins stay.
    """
    model = core.Model()
    stages: list[tuple[list[int], Any]] = [([0, 1, 2, 8], np.inf), ([1], 200.0), ([2], np.inf)]
    pins, stiffness = stages[0 if frame < 2 else 1 if frame < 5 else 2]
    held: dict[str, Any] = {"pins": pins, "pin_stiffness": stiffness}
    yielding: dict[str, Any] = {"plasticity": 50.0, "yield_bend": 0.05, "bend_compliance": 20.0}
    sheet(model, 1.0, 6, **held, **yielding, **TAMED)
    turn = 0.6 * np.arange(12)
    curl = np.stack([2.0 + 0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.6 - 0.02 * turn], axis=1)
    links = np.stack([np.arange(11), np.arange(1, 12)], axis=1)
    model.add_strands(
        curl, links, thickness=0.002, stretch_compliance=1e-4, bend_compliance=0.2, **held
    )
    points, tetrahedra = body_centred_box((2, 2, 2), (0.3, 0.3, 0.3))
    apart = points + np.array([4.0, 0.0, 0.5])
    model.add_soft_body(apart, tetrahedra=tetrahedra, young_modulus=2e4, **held)
    sheet(model, 0.6, 6, pins=[0, 6], pin_stiffness=[np.inf, 50.0], **yielding, **TAMED)
    return model


LET_GO = 2, 5
"""Frames up to which the pins of that are others."""


@dataclass
class Scene:
    """A model, and how it is simulated.

    Attributes:
        model: as it is on a frame.
        wind: whether it blows.
    """

    model: Callable[[int], core.Model]
    solver: Callable[[], Any]
    wind: bool = False

    def simulation(self, frame: int = 0) -> core.Simulation:
        """One at rest, with the materials of a frame."""
        return core.Simulation(self.model(frame), self.solver())

    def advance(self, simulation: core.Simulation, frame: int) -> None:
        """Simulate up to a frame from the one before it."""
        if self.model is worn:
            if 5 <= frame <= 8:
                simulation.go_on_with(self.model(frame))
            simulation.model.colliders[0].set_target(_ball(frame)[0])
            (cloth,) = simulation.model.cloths
            targets = simulation.model.positions[cloth.pins] + [0.02 * frame, 0.0, 0.01 * frame]
            simulation.set_targets(cloth.pins, targets)
        if self.model is let_go:
            if frame in LET_GO:
                simulation.go_on_with(self.model(frame))
            stays = simulation.model.cloths[1]
            for body in simulation.model.bodies:
                first = simulation.model.positions[body.particles[body.pinned]]
                away = 1.5 * (frame >= LET_GO[1] and body is not stays)
                simulation.set_targets(body.pins, first + np.array([0.0, 0.03 * frame, away]))
        if self.model is pile:
            simulation.model.colliders[0].set_target(_table(frame)[0])
        if self.model is pressed:
            simulation.model.colliders[1].set_target(_corner(frame)[0])
        if self.model is shrinking and frame <= STANDS:
            (cloth,), (solid,) = simulation.model.cloths, simulation.model.soft_bodies
            simulation.follow_rest(cloth, (1.0 - 0.06 * frame) * cloth.shape)
            swelling = {"inflation": 0.9, "inflation_time": SWELLS}
            simulation.grow(solid, contraction=0.06 * frame, **swelling)
        if self.wind:
            blowing = core.Field(kind="WIND", strength=2000.0 + 500.0 * frame, axis=(1.0, 0.0, 0.2))
            air = core.Surroundings(fields=[blowing], air=core.Air())
            simulation.surround(air, *simulation.model.bodies)
        simulation.advance(FRAME)


def xpbd(**options: Any) -> Callable[[], Any]:
    return lambda: core.XPBD(**AUTOMATIC | options)


SCENES = {
    "worn": Scene(worn, xpbd()),
    "worn, starting warm": Scene(worn, xpbd(warm_start=0.5)),
    "worn, Euler": Scene(worn, lambda: core.XPBD(substeps=10)),
    "let go": Scene(let_go, xpbd()),
    "pile": Scene(pile, xpbd()),
    "pressed": Scene(pressed, xpbd()),
    "tangled": Scene(tangled, xpbd(), wind=True),
    "hair": Scene(hair, xpbd(), wind=True),
    "balloon": Scene(balloon, xpbd()),
    "torn": Scene(torn, xpbd()),
    "yielding": Scene(yielding, xpbd()),
    "jelly": Scene(jelly, xpbd()),
    "shrinking": Scene(shrinking, xpbd()),
    "jacobi": Scene(
        pile,
        lambda: core.XPBD(substeps=6, iterations=10, method="jacobi", chebyshev=True),
    ),
    "worn, PBD": Scene(worn, lambda: core.PBD(substeps=10, velocity_damping=0.1)),
    "balloon, PBD": Scene(balloon, lambda: core.PBD(substeps=10)),
    "worn, projective": Scene(
        worn, lambda: core.ProjectiveDynamics(substeps=6, iterations=4, chebyshev=True)
    ),
    "rope, constrained": Scene(
        rope,
        lambda: core.ConstrainedDynamics(substeps=4, adaptive=True, implicit_bending=True),
        wind=True,
    ),
    "yielding, constrained": Scene(
        yielding,
        lambda: core.ConstrainedDynamics(substeps=3, adaptive=True, implicit_bending=True),
    ),
    "worn, constrained": Scene(
        worn,
        lambda: core.ConstrainedDynamics(substeps=3, adaptive=True, implicit_bending=True),
    ),
}
"""By name; all bodies, and all solvers."""
