"""The npm client of the session API, bundled for pages as front ends bundle it."""

import subprocess

from tests.helpers.node import node, packages


def bundle_client(folder):
    """Make client.js in a folder and return it; it asks the service that the address names."""
    npm = packages()
    bundler = npm / "node_modules" / "esbuild" / "bin" / "esbuild"
    source, bundle = npm / "browser_client.mjs", folder / "client.js"
    options = ["--bundle", "--log-level=warning", f"--outfile={bundle}"]
    subprocess.run([node(), bundler, source, *options], check=True, cwd=npm)
    return bundle
