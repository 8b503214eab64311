"""Programs of ring-all-reduce scheduling: one slot as network embedding, and the whole horizon."""
