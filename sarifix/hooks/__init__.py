"""The entry points that other programs call: pre-commit, git, and Claude Code."""
