"""Tables of a store of results."""

TABLES = {
    "instances": "sha TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL",
    "results": (
        "key TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, instance TEXT NOT NULL,"
        " task TEXT NOT NULL, status TEXT NOT NULL, value REAL, bound TEXT, ratio REAL,"
        " seconds REAL, error TEXT NOT NULL, recheck TEXT NOT NULL, output BLOB,"
        " finished REAL NOT NULL"
    ),
    "reservations": (
        "key TEXT PRIMARY KEY, token TEXT NOT NULL, owner TEXT NOT NULL, until REAL NOT NULL"
    ),
    "titles": "title TEXT PRIMARY KEY, given REAL NOT NULL",
}
LATER = ("reservations", "titles")
"""Tables that stores of earlier versions lack; whoever only reads does not need them."""

INDEX = "CREATE INDEX IF NOT EXISTS results_by_name ON results (name)"

FOUND = ("status", "value", "bound", "ratio", "seconds", "error", "recheck")
"""Columns of results that are found, not given."""
