"""Tests of what is done aside."""
