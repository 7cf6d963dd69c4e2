"""Pages: their texts, languages, colours and files."""
