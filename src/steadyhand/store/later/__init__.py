"""What is stored of what happens later."""
