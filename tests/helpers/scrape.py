"""Reads metrics as Prometheus does."""

import requests
from prometheus_client.parser import text_string_to_metric_families


def scrape(port):
    """Return every sample's value by its name and labels."""
    text = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=20).text
    return {
        (sample.name.removeprefix("authservice_"), *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples, name, **labels):
    """Return a sample's value; one that is not there counts as zero."""
    return samples.get((name, *sorted(labels.items())), 0)
