"""Pictures of a part: what it is, what a change does to it, what a solve says of it; as SVG always, as PNG where pyvista is."""
