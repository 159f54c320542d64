"""The language server: rulings and records in an editor that speaks the Language Server Protocol.

`server` alone talks to the client, in frames on standard output and in nothing else there.
"""
