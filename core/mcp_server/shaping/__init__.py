"""From Google's JSON to what people and models read."""
