"""The endpoints, found by the names of their routes; views import no other view."""
