# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: a shape and a material in SI units become particles and constraints.

``builder``         a model as far as bodies know it
``handle``          what the handles of all bodies have in common
``meetings``        which bodies and colliders are kept apart
``cloth``           a surface mesh and a fabric: masses, bending, a volume inside
``thickness``       refusing one at which everything would be near everything
``cloth_material``  what a cloth is made of
``membrane``        how a sheet resists being stretched and sheared
``edge_springs``    which part of that springs along the edges of triangles carry
``strands``         a mesh of edges and the material of a rod
``soft_body``       tetrahedra and the material of a solid
``soft_material``   what a soft body is made of
``corotational``    tetrahedra with the part of μ of the co-rotational energy
``strain_limits``   how far springs and triangles may be stretched
"""
