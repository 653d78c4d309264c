"""Helpers of the tests: real repositories, a scanner for faults, and a way to run sarifix."""
