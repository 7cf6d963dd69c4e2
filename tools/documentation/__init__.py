"""What is made from the code and openapi.yaml, and what the build of docs/ needs beside MkDocs."""
