"""The endpoints, one file each, named like the endpoint; views import no other view."""
