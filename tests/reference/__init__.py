"""Slow references of the rule systems, written from the rules pages alone.

Nothing here imports the package under test: these modules are the oracle that its fast code is compared with.
"""
