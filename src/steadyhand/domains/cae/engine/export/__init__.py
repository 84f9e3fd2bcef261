"""A part in the formats of viewers: `.vtu` for visualisation programs, `.glb` for a browser; never read back."""
