# SPDX-License-Identifier: GPL-3.0-or-later
"""A long campaign against what is to survive anything: ``python build.py stress``.

``work``      a simulation into a cache, which goes on from what it finds there
``judge``     what must be so of a cache, whatever has happened to it
``kills``     processes that are killed while they simulate
``faults``    calls of the system that fail
``damages``   files that are cut off, flipped, swapped or gone
``scenes``    generated meshes and settings, of ``models``
``objects``   the same through the add-on in a Blender, of ``shapes``
``page``      docs/reliability.md
"""
