"""`python -m alpha_build` is the command line."""

from alpha_build.cli import main

main()
