"""What is stored of conversations."""
