"""Finds or installs a Chromium for the browser tests: Debian's package as root, otherwise Playwright's own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Make sure that a browser is there; print nothing when it already is."""
    if shutil.which("chromium") or playwright_has_one():
        return
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium", "fonts-noto-cjk"], check=True)
        return
    sys.exit(subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"]).returncode)


def playwright_has_one() -> bool:
    """Whether Playwright's own Chromium is installed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


if __name__ == "__main__":
    main()
