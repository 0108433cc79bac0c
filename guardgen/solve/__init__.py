"""Terms over sizes, what is known about them, and which guards are needed."""
