"""The ways to people from outside this machine's terminal. It must not decide what a message means or what becomes of it."""
