"""Private chat over OneBot v11, whose implementation connects to us. It must not speak to groups, or to strangers more than it has to."""
