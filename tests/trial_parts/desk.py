"""A gate over a folder with the domain as it is, and the operations of a small plate."""

from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.domains.cae.module import CaeDomain, target
from steadyhand.domains.cae.shelf.doors import Shelf
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.gate.contract import Given
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.policy import Policy
from steadyhand.store import Store
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from trial_domains.stand import DESK, ME, me, run

GRID = {"id": "plate", "origin": [0, 0, 0], "u": [100, 0, 0], "v": [0, 60, 0], "divisions": [10, 6]}
BUILD = ("build_part", {"nodes": [], "elements": [], "grids": [GRID]})
MOVE = {"kind": "translate", "region": {"all": True}, "vector": [0, 0, 500], "copy_elements": True}
COPY = ("transform_part", {"operations": [MOVE]})
AUDIT = ("audit_part", {})
STEEL = {"name": "steel", "youngs": 210000, "poisson": 0.3, "density": 7.85e-9}
DEFINE = ("define_property", {"materials": [STEEL], "shell_sections": [{"name": "t2", "material": "steel", "thickness": 2}]})
ASSIGN = ("assign_property", {"assignments": [{"section": "t2", "region": {"all": True}}]})
FIX = ("apply_boundary", {"supports": [{"kind": "fix", "name": "edge", "region": {"side": "xmin"}}]})
PRESS = ("apply_load", {"loads": [{"kind": "pressure", "name": "face", "region": {"all": True}, "magnitude": 0.1}]})
PLATE = PartName("panel", "plate")


class Desk:
    """A gate over a folder, with the real domain."""

    def __init__(self, folder):
        self.store = Store(f"sqlite:///{folder / 'gate.db'}", FakeClock())
        schema.ensure(self.store)
        self.store.write_now(lambda tx: people.add_user(tx, User(ME, "person", "UTC", "en", ("*",))))
        settings = Settings(data_dir=folder)
        self.domain = CaeDomain(settings, clock=FakeClock(), language="en", pictures=("svg",))
        self.controller = Controller(self.store, {"cae": self.domain}, Policy())
        self.shelf = Shelf(folder / "cae")

    def open(self, *operations, module="part", name="panel/plate", session=DESK):
        source = Given(tuple({"tool": tool, "arguments": arguments} for tool, arguments in operations))
        return run(self.controller.open(Proposal(ME, session, target(ME, name), "as the file says", source, {"module": module})))

    def change(self, *operations, **more):
        row = self.open(*operations, **more)
        assert row.state == "sealed", row.reason
        return run(self.controller.approve(me(), row.number, row.seal_digest))

    def undo(self, number):
        row = run(self.controller.undo(me(), number, "take it back", "en"))
        assert row.state == "sealed", row.reason
        return run(self.controller.approve(me(), row.number, row.seal_digest))

    def seen(self, module="part"):
        return run(self.domain.observe(target(ME, "panel/plate"), {"module": module}))

    @property
    def part(self):
        return self.shelf.folder(ME, PLATE).path
