"""The list of the domains that there are: a new one is a line here. Each command imports it, so it imports nothing that costs time."""

from steadyhand.domains.cae.registration import CAE
from steadyhand.domains.calls.registration import CALLS
from steadyhand.domains.registration import Registration
from steadyhand.domains.schedule.registration import SCHEDULE

DOMAINS: tuple[Registration, ...] = (SCHEDULE, CAE, CALLS)
