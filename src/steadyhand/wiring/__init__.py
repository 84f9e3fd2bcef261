"""The one room that names every concrete part of the program and puts them together."""
