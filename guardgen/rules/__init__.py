"""The interpretations, one a file, each a table keyed by op: concrete, shape (`terms` and `shape/`), and the targets."""
