"""Patterns of axes as layers."""
