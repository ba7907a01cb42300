# SPDX-License-Identifier: GPL-3.0-or-later
"""A numba whose internals have changed simulates the same, and the log says that it is slower."""

from __future__ import annotations

from pathlib import Path

import fresh_process
import numba
import pytest

from core.native import trial

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

CHANGES = {
    "a module is gone": (
        "sys.modules['numba._dynfunc'] = None; del numba._dynfunc",
        "ModuleNotFoundError: import of numba._dynfunc",
    ),
    "a method has another name": (
        """
from numba.core.codegen import CPUCodegen, CPUCodeLibrary
passes, optimize = CPUCodegen._module_pass_manager, CPUCodeLibrary._optimize_final_module
del CPUCodegen._module_pass_manager
def optimize_as_before(self):
    CPUCodegen._module_pass_manager = passes
    optimize(self)
    del CPUCodegen._module_pass_manager
CPUCodeLibrary._optimize_final_module = optimize_as_before
""",
        "AttributeError: 'JITCPUCodegen' object has no attribute '_module_pass_manager'",
    ),
    "a method takes other arguments": (
        """
from numba.core.typed_passes import NativeLowering
run_pass = NativeLowering.run_pass
def run_pass_with_names(self, *, state):
    return run_pass(self, state)
NativeLowering.run_pass = run_pass_with_names
from numba.core.compiler_machinery import PassManager
run_one = PassManager._runPass
def by_name(self, index, instance, state):
    if type(instance) is NativeLowering:
        instance.run_pass = lambda state: run_pass(instance, state)
    run_one(self, index, instance, state)
PassManager._runPass = by_name
""",
        "TypeError",
    ),
    "a symbol has another name": (
        "del numba._helperlib.c_helpers['adapt_ndarray']",
        "RuntimeError: there is no numba_adapt_ndarray",
    ),
}
"""What happens to numba, and how the log says so."""

BEGIN = """
import sys
from pathlib import Path
import numba
from core.native.cache import use_cache
change, *folder = sys.argv[1:]
if folder:
    use_cache(Path(folder[0]))
exec(change)
import core, naive
from core.native.fence import internals_work
internals_work()
"""
"""Code is declared, and the log told how it will be compiled."""

LOOK_AHEAD = f"""{BEGIN}
import numpy as np
from core.islands.reach import foreseen, islands_of
positions, faces = naive.quad_grid(4, 4, 1.0, 1.0)
model = core.Model()
for x in (0.0, 0.5, 9.0):
    points = np.add(positions, (x, 0.0, 0.0))
    model.add_cloth(points, faces, self_collision=False, body_collision=False)
reach = foreseen(model.state(), np.repeat([0, 1, 2], len(positions)), (0.0, 0.0, -9.81), 0.04)
print(islands_of(reach, np.ones((3, 3), np.bool_)), reach.low.tobytes().hex())
"""
"""Two functions that call parts, one of them with arrays by their address."""

SIMULATE = f"""{BEGIN}
positions, faces = naive.quad_grid(4, 4, 1.0, 1.0)
model = core.Model()
model.add_cloth(positions, faces, pins=[0, 4])
model.add_collider([(0, 0, -0.1), (1, 0, -0.1), (0, 1, -0.1)], [(0, 1, 2)])
simulation = core.Simulation(model, core.XPBD(substeps=20, largest_stretch=0.03))
simulation.advance(1 / 24)
simulation.advance(1 / 24)
print(simulation.positions.tobytes().hex())
"""


@pytest.mark.parametrize(("change", "cause"), CHANGES.values(), ids=CHANGES)
def test_a_changed_numba_is_noticed(change: str, cause: str, tmp_path: Path) -> None:
    _, log = fresh_process.run(BEGIN, change, str(tmp_path))
    assert log.count("XPBD compiles its solvers in a slower way") == 1
    assert cause in log


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(LOOK_AHEAD, id="two functions"),
        pytest.param(SIMULATE, marks=pytest.mark.slow, id="the whole solver"),
    ],
)
def test_a_changed_numba_finds_the_same(program: str, tmp_path: Path) -> None:
    """One of them: what is compiled then is the same for all, and takes long."""
    as_known, log = fresh_process.run(program, "")
    assert log == ""
    change, _ = CHANGES["a module is gone"]
    found, _ = fresh_process.run(program, change, str(tmp_path))
    assert found == as_known
    folders = {file.relative_to(tmp_path).parts[1] for file in tmp_path.rglob("*.nb?")}
    assert folders == {"plain"}, "code that calls no parts is kept apart from code that does"


def test_a_wrong_sum_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    trial.run()
    monkeypatch.setattr(trial, "_add_up", lambda outer: outer.sums.fill(4.0))
    with pytest.raises(RuntimeError, match=r"\[4.0, 4.0\]"):
        trial.run()
