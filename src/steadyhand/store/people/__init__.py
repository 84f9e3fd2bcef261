"""What is stored of people."""
