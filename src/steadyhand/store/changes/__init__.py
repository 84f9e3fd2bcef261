"""What is stored of changes and drafts."""
