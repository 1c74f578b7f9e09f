# A real SMTP server for tests, Debian's python3-aiosmtpd: `smtp-server.py JSON`. It prints its port, then each mail as a line
# of JSON.
import json
import logging
import ssl
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

logging.disable(logging.CRITICAL)
options = json.loads(sys.argv[1])


class Handler:
    def __init__(self):
        # What is answered to RCPT, one after the other; afterwards all are accepted.
        self.answers = list(options.get("answers", []))

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if self.answers:
            return self.answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": envelope.content.decode("utf-8", "replace"),
            "tls": session.ssl is not None or options.get("implicit", False),
            "user": session.auth_data.login.decode() if session.auth_data else None,
        }
        print(json.dumps(mail), flush=True)
        return "250 2.0.0 Ok: queued as 4F2A"


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and data.password == options["password"].encode()
    return AuthResult(success=good, auth_data=data if good else None, handled=good)


tls = None
if "certificate" in options:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(options["certificate"], options["key"])
more = {"authenticator": authenticate, "auth_required": True} if "password" in options else {}
if tls is not None and not options.get("implicit"):
    more |= {"tls_context": tls, "require_starttls": True}
controller = Controller(
    Handler(),
    hostname="127.0.0.1",
    port=options["port"],
    ssl_context=tls if options.get("implicit") else None,
    auth_require_tls=tls is not None and not options.get("implicit"),
    **more,
)
controller.start()
print(options["port"], flush=True)
threading.Event().wait()
