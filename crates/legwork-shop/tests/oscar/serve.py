"""Serves the shop on a free port of this machine, which it prints, until it is ended."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402

application = StaticFilesHandler(get_wsgi_application())
server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
server.daemon_threads = True
server.set_app(application)
print(server.server_port, flush=True)
server.serve_forever()
