"""Changes at the command line: their list, their review with its question, and acts that are one step."""
