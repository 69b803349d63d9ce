"""The Blitzkrieg system (Shellshock Combat System, WW2): sheets, options, compiler, kernels."""
