"""Fuzz targets: each takes bytes, and asserts what must hold whatever they are."""
