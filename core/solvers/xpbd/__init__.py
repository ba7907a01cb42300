# SPDX-License-Identifier: GPL-3.0-or-later
"""Extended position-based dynamics.

``solver``            Algorithm 1, and which of the others take part in a step
``chain_projection``  all links of a chain at once
``jacobi``            all constraints at the same time
``warm_start``        starting from the multipliers of the last substep
``quality``           how much too long a step left the material, and what the next one needs
``waves``             how many substeps soft bodies need
``near_pins``         more sweeps around pinned particles
``rings``             how far constraints are from these
``bending``           bending as a whole, before the sweeps
"""
