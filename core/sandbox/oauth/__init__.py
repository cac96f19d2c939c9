"""The sandbox's sign-in: Google's OAuth over the world's file, with its pages, tokens and permissions."""
