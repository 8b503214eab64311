"""``python -m farkas`` is the command ``farkas``."""

from farkas.cli import main

if __name__ == "__main__":
    main()
