"""The routers that the settings ask for: by the embeddings that come with the app, and by a server's before them."""

from core.registry.embeddings import Embedder
from core.registry.manifests import Catalogue
from core.registry.remote import RemoteEmbedder, RemoteRouter
from core.registry.router import Router, Thresholds
from core.registry.vectors import KeptVectors, key_of
from core.settings import Settings


def local_router(settings: Settings, catalogue: Catalogue, embedder: Embedder) -> Router:
    """The router by the embeddings that come with the app, its examples embedded."""
    router = Router(catalogue, embedder, kept=KeptVectors(embedder, settings.data_dir / "embeddings.npz"))
    router.load()
    return router


def router_of(settings: Settings, catalogue: Catalogue, local: Router) -> Router | RemoteRouter:
    """The router by the embeddings of the settings."""
    if not settings.embeddings_model:
        return local
    server = str(settings.embeddings_base_url or "") or None
    embedder = RemoteEmbedder(settings.embeddings_model, server, settings.embeddings_api_key.get_secret_value())
    kept = KeptVectors(embedder, settings.data_dir / f"embeddings-{key_of(f'{server} {embedder.model}')[:16]}.npz")
    needed = Thresholds(settings.embeddings_confident, settings.embeddings_margin)
    return RemoteRouter(Router(catalogue, embedder, kept=kept, thresholds=needed), local)
