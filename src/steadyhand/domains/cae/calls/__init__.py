"""The domain's intermediate representation: the arguments of every wire tool, in business terms, without a label that the target would make."""
