"""Makes the virtual environment and installs into it; needs a bare Python 3.11+ and nothing else.

    python3 scripts/environment.py requirements.txt

Debian's python3 comes without pip and without `ensurepip`: then pip's own wheel is fetched from PyPI, checked
against PyPI's published hash and installed from itself.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def main(requirements: str) -> None:
    """Install a requirements file into `.venv`, making it first where it does not work yet."""
    if sys.version_info < (3, 11):  # noqa: UP036  said here, before pip says it in its own words
        sys.exit(f"Glassdesk needs Python 3.11 or newer; this is {sys.version.split()[0]}. Try: make PYTHON=python3.12")
    if not has_pip():
        make_environment()
    run(
        PYTHON,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        requirements,
        "-c",
        "constraints.txt",
    )


def has_pip() -> bool:
    """Whether `.venv` exists, runs and can install."""
    return PYTHON.exists() and subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0


def make_environment() -> None:
    """Create `.venv`, with pip by `ensurepip` where Python has it, otherwise from PyPI."""
    print("Making the environment in .venv …", flush=True)
    if subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True).returncode == 0:
        return
    run(sys.executable, "-m", "venv", "--clear", "--without-pip", VENV)
    with tempfile.TemporaryDirectory() as folder:
        wheel = fetch_pip(Path(folder))
        run(PYTHON, wheel / "pip", "install", "--quiet", "--no-index", wheel)


def fetch_pip(folder: Path) -> Path:
    """Download pip's newest wheel from PyPI and check its hash."""
    with urllib.request.urlopen("https://pypi.org/pypi/pip/json", timeout=60) as answer:
        files, base = json.load(answer)["urls"], answer.url
    wheel = next(file for file in files if file["filename"].endswith(".whl"))
    with urllib.request.urlopen(urljoin(base, wheel["url"]), timeout=120) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != wheel["digests"]["sha256"]:
        sys.exit("The downloaded pip does not match PyPI's hash. Check the network, then try again.")
    path = folder / wheel["filename"]
    path.write_bytes(content)
    return path


def run(*command: object) -> None:
    """Run a command in the project's folder; stop with its exit code when it fails."""
    code = subprocess.run([str(part) for part in command], cwd=ROOT).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
