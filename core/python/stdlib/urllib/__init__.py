"""The package of urllib.parse, urllib.error and urllib.request."""
