"""The pages of docs/ that are made from the code, and what their build needs beside MkDocs."""
