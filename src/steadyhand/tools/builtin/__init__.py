"""The tools that every installation has: to speak, to ask, the files of the workspace, the shell. It must not know a domain."""
