"""Items with sizes in several dimensions, packed into as few equal bins as possible."""
