"""``python -m codemods`` is the console command."""

from codemods.cli import main

main()
