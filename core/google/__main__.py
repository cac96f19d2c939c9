"""Upkeep of the Google sign-ins: `python -m core.google rotate-key | import [FOLDER] | forget`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import delete

from core.errors import GlassdeskError
from core.google.importing import USUAL, import_folder
from core.google.keyring import system_ring
from core.google.vault import Vault, keys_of
from core.google.workspace import open_workspace
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.settings import Settings, load_settings
from core.store.account_tables import GoogleClient, GoogleConnection, GoogleConsent, SandboxGuest, VaultMark
from core.store.engine import open_database
from core.store.server_tables import AddedServer
from core.store.sessions import writing
from core.store.vaulted import Vaulted
from core.users import SANDBOX_ACCOUNTS, local_user


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; 1 where it did not work out."""
    try:
        return do(parser().parse_args(arguments), load_settings())
    except GlassdeskError as error:
        print(error.sentence, file=sys.stderr)
        return 1


def parser() -> ArgumentParser:
    """What the command takes."""
    found = ArgumentParser("python -m core.google", description="Upkeep of the Google sign-ins that Glassdesk keeps.")
    commands = found.add_subparsers(dest="command", required=True)
    commands.add_parser("rotate-key", help="seal everything that is kept with another key")
    imports = commands.add_parser("import", help="take over the sign-ins of the public Workspace MCP server")
    imports.add_argument("folder", nargs="?", type=Path, default=USUAL, help="default: %(default)s")
    commands.add_parser(
        "forget", help="forget all that is sealed, for when the vault's key is lost; Google is not told"
    )
    return found


def do(options: Namespace, settings: Settings) -> int:
    """Run one command."""
    database = open_database(settings.app_url)
    if options.command == "forget":
        with writing(database) as session:
            for table in (GoogleConnection, GoogleConsent, GoogleClient, SandboxGuest, AddedServer, VaultMark):
                session.execute(delete(table))
        print("All Google sign-ins and added tool servers are forgotten here.")
        print("Remove the app at myaccount.google.com/permissions too.")
        return 0
    if options.command == "rotate-key":
        vault = Vault(
            keys_of(settings.vault_key.get_secret_value(), settings.data_dir, system_ring()), Vaulted(database)
        )
        print(f"Sealed {vault.rotate()} things with the new key.")
        return 0
    sandbox = Sandbox(settings.sandbox_db, settings.zone, accounts=SANDBOX_ACCOUNTS)
    accounts = open_workspace(settings, load_catalogue(), database, sandbox).accounts
    found = import_folder(accounts, local_user(settings), options.folder)
    for one in found:
        print(f"{one.name}: {one.sentence}")
    return 0 if all(one.ok for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
