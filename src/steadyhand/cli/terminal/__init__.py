"""What every command shares: its frame, what it prints and reads, and how it keeps a person company."""
