"""What the distribution consists of, needs and installs."""

import ast
from pathlib import Path

from setuptools import find_packages, setup

# Read and not imported: what the package needs is not installed yet.
lines = (Path(__file__).parent / "authservice/settings/version.py").read_text("utf-8").splitlines()
version = next(line.partition(" = ")[2] for line in lines if line.startswith("__version__"))

setup(
    name="authservice",
    version=ast.literal_eval(version),
    description="A central authentication service and OAuth 2.1 / OpenID Connect provider",
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=">=3.11",
    # alembic/ stays at the top of the repository and has no __init__.py, which would hide the
    # library of that name. A wheel has no such top: there the scripts travel inside the package.
    packages=[*find_packages(include=["authservice*"]), "authservice.alembic"],
    package_dir={"authservice.alembic": "alembic"},
    package_data={
        "authservice": ["py.typed", "locale/*/LC_MESSAGES/*.mo"],
        "authservice.local_mode": ["openapi.json", "templates/**/*"],
        "authservice.web": ["openapi/openapi.json", "templates/**/*", "static/**/*"],
        "authservice.alembic": ["*.py", "*.mako", "versions/*.py"],
    },
    install_requires=[
        "alembic>=1.20",
        "cryptography>=50",
        "idna>=3.20",
        "jwcrypto>=1.6",
        "limits>=5.8",
        "oauthlib>=4.0",
        "plaster>=1.1",
        "publicsuffixlist>=1.1",
        "pyramid>=2.1",
        "pyramid-jinja2>=2.10",
        "requests>=2.34",
        # Pyramid imports pkg_resources, which 80.9 starts to warn about and 82 no longer has.
        "setuptools>=78.1.1,<80.9",
        "sqlalchemy>=2.1",
        "transaction>=5.1",
        "urllib3>=2.8",
        "waitress>=3.0",
        "zope.sqlalchemy>=4.1",
    ],
    extras_require={
        # Earlier ones could hang when they were told to stop.
        "granian": ["granian>=2.8.7"],
        "metrics": ["prometheus-client>=0.26"],
        "opentelemetry": [
            "opentelemetry-exporter-otlp-proto-http>=1.45",
            "opentelemetry-sdk>=1.45",
        ],
        "postgresql": ["psycopg[binary]>=3.3"],
        "redis": ["redis>=8.1"],
    },
    entry_points={
        "paste.app_factory": ["main = authservice:main"],
        "paste.server_runner": ["waitress = authservice.serving.waitress_runner:serve"],
        "console_scripts": [
            "authservice = authservice.cli:main",
            "authservice-granian = authservice.serving.granian_launcher:main",
            "authservice-register = authservice.cli.register:main",
        ],
    },
)
