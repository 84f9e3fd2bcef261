"""Doors for programs of other people. They read, draft and propose; no door here may decide a change."""
