"""Kernel functions that are wrong, a module for each fault: bound after the sound ones, they take their places."""
