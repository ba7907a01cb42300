# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of a scene as a model of `core`, whose refusals get the object's name; and what of
it is another on a later frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scene.mesh_io import BodyInput
from ..settings import kinds
from .scene_input import FrameInput, SceneInput

if TYPE_CHECKING:
    from ...core import Model

FEWEST = 1.0 / 12.0
"""Of the substeps that a soft body needs: with fewer it does not only get softer but flies apart,
and its parts that go through each other take minutes a frame."""

GROWTH = {"inflation", "inflation_time", "contraction", "fibres"}
"""Arguments of soft bodies that `core` takes over without being laid out anew."""


def model_of(inputs: SceneInput) -> tuple[Model, dict[int, Any]]:
    """The model, and its handles by the objects' session_uid. Raises `core.ModelError`."""
    from ... import core
    from ...core.interruption import may_go_on

    model = core.Model(dtype=np.float32)
    handles: dict[int, Any] = {}
    for body in map(of_particles, inputs.bodies):
        may_go_on()
        with named(body.name):
            handles[body.uid] = _add(model, body, inputs)
        _check_waves(body.name, handles[body.uid], inputs)
    for collider in inputs.colliders:
        handles[collider.uid] = model.add_collider(
            collider.vertices - inputs.origin,
            collider.triangles,
            thickness=collider.settings.thickness,
            friction=collider.settings.friction,
            two_sided=collider.two_sided,
            name=collider.name,
        )
    for one, other in inputs.ignored:
        if one in handles and other in handles:
            model.ignore_contact(handles[one], handles[other])
    return model, handles


@contextmanager
def named(name: str) -> Iterator[None]:
    """What is refused within is told with the name of the object that it is about."""
    from ... import core

    try:
        yield
    except core.ModelError as error:
        told = str(error)
        if f"'{name}'" in told:
            raise
        raise core.ModelError(f"'{name}': {told}") from error


def _add(model: Model, body: BodyInput, inputs: SceneInput) -> Any:
    """Add a body and what it is sewn with, and return its handle."""
    add: Callable[..., Any] = getattr(model, kinds.KINDS[body.kind].adder)
    handle = add(
        body.positions - inputs.origin,
        body.elements,
        pins=body.pins,
        pin_stiffness=body.pin_stiffness,
        name=body.name,
        **({"as_drawn": True} if body.kind == "CLOTH" else {}),
        **_rest_of(body, inputs),
        **_bones_of(body, inputs),
        **body.material | ({} if body.warp is None else {"warp": body.warp}),
    )
    for pairs, options in body.threads:
        model.add_stitches(handle.particles[pairs], **options)
    return handle


def of_particles(body: BodyInput) -> BodyInput:
    """A body of what of it is simulated."""
    if (reduction := body.reduction) is None:
        return body
    leading = reduction.pins(body.pins, body.pin_stiffness)
    elements, numbers = reduction.left(body.elements)
    return replace(
        body,
        positions=reduction.of_particles(body.positions),
        elements=elements,
        pins=reduction.particles[body.pins[leading]],
        pin_stiffness=body.pin_stiffness[leading],
        material={name: reduction.of_particles(value) for name, value in body.material.items()},
        rest_positions=reduction.of_particles(body.rest_positions),
        threads=[(reduction.pairs(pairs), options) for pairs, options in body.threads],
        warp=None if body.warp is None else body.warp[numbers],
    )


def _rest_of(body: BodyInput, inputs: SceneInput) -> dict[str, Any]:
    if body.rest_positions is None:
        return {}
    return {"rest_positions": body.rest_positions - inputs.origin}


def _bones_of(body: BodyInput, inputs: SceneInput) -> dict[str, Any]:
    if body.bones is None:
        return {}
    return {"bones": body.bones.ends - inputs.origin, "bone_reach": body.bones.reach}


def _check_waves(name: str, handle: Any, inputs: SceneInput) -> None:
    """Raise `core.ModelError` for a soft body that is much too stiff for the substeps allowed."""
    from ... import core
    from ...core.solvers.xpbd.waves import substeps_for

    if not isinstance(handle, core.SoftBody):
        return
    allowed = inputs.solver_options["substeps"]
    needed = substeps_for([handle], inputs.time_step)
    if allowed < FEWEST * needed:
        raise core.ModelError(
            f"'{name}' is so small, stiff or light that it needs {needed:,} substeps a frame, "
            f"and only {allowed:,} are allowed: make it softer, its cells larger, or raise Substeps"
        )


def as_on(body: BodyInput, targets: FrameInput) -> BodyInput:
    """A body with its pins and material on a frame; the same one where nothing has changed."""
    if body.uid not in targets.materials:
        return body
    changing = targets.materials[body.uid]
    material = body.material | changing.material
    sewn = [pairs for pairs, _ in body.threads]
    threads = list(zip(sewn, targets.sewing[body.uid], strict=True))
    now = replace(body, **changing._replace(material=material)._asdict(), threads=threads)
    same = _are_pinned_alike(body, now) and all(
        np.array_equal(value, body.material.get(name)) for name, value in material.items()
    )
    same &= all(old[1] == new[1] for old, new in zip(body.threads, threads, strict=True))
    return body if same else now


def only_grows(before: BodyInput, now: BodyInput) -> bool:
    """Whether a body is a soft one that differs in nothing but its growth."""
    return (
        now.kind == "SOFT_BODY"
        and _are_pinned_alike(before, now)
        and all(
            np.array_equal(value, before.material.get(name))
            for name, value in now.material.items()
            if name not in GROWTH
        )
    )


def _are_pinned_alike(one: BodyInput, other: BodyInput) -> bool:
    pairs = ((one.pins, other.pins), (one.pin_stiffness, other.pin_stiffness))
    return all(np.array_equal(*pair) for pair in pairs)
