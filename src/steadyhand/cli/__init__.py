"""The command line. It must not decide what is allowed or done: it reads words, asks the program, and prints."""
