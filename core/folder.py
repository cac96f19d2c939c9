"""The data folder: made at the start, and tried, so that a full or foreign disk is a sentence."""

from tempfile import TemporaryFile

from core.errors import StorageError
from core.settings import Settings


def make_data_folder(settings: Settings) -> None:
    """Make the folder of the databases.

    Raises:
        StorageError: it cannot be made or written.
    """
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=settings.data_dir):
            pass
    except OSError as error:
        raise StorageError(
            f"The data folder {settings.data_dir} cannot be written ({error.strerror}). "
            "Free some space, change its permissions, or set GLASSDESK_DATA_DIR to another folder."
        ) from error
