# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending that is solved as a whole, before the sweeps over everything else.

``predictor``      which constraints it takes; called in each substep after the prediction
``apart``          all constraints laid out, these apart
``parts``          constraints of a group apart from its others
``rods``           strands side by side
``rod_step``       the solve along each of them
``carried_turns``  how curls turn with their strand
``webs``           what branches, or comes back to itself
``web_step``       the solve of each
``rows_of_bends``  which bends go on in each other
``turns``          C x of a bend
``rotations``      how a rod has turned as a whole
``plates``         the energy of sheets
``sheets``         what is laid out for
``sheet_step``     the solve of them
``rest_vectors``   hinges that are bent at rest
``hinge_multipliers``  λ of hinges, of which the solve has none
``gauge``          how much of the bending the sweeps have changed
"""
