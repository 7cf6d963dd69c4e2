"""Files for ``auth.resources``."""


def resource_file(folder, *resources):
    """Write a file and return its path; each resource is a URI alone, or the text of its table."""
    tables = [each if each.startswith("[") else f'["{each}"]' for each in resources]
    file = folder / "resources.toml"
    file.write_text("\n".join(tables), encoding="utf-8")
    return str(file)
