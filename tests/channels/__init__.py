"""People on other channels: what they say comes in once, what they are owed goes out once, and only what they may decide is decided."""
