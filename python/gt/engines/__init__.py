"""Engines that are written in Python."""
