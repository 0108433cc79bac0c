"""The interpretations, one a file, each a table keyed by op: concrete, shape (`terms`, `shape/`), and the targets."""
