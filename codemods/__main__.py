"""``python -m codemods`` is the console command."""

from codemods.cli import main

if __name__ == "__main__":  # a worker process imports this module again
    main()
