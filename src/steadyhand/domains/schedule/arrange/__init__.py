"""Arranging pending tasks: hard rules, costs, engines, reasons, and the one door. It must not write to anything but a timetable."""
