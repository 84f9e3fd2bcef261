"""One tool call that a person must allow, as a change of one step. It must not judge what a call does outside."""
