# Opens the payload, as the portal's protocol has it, and prints a page of the portal's size with what it says: Flask
# with the server that it brings. Words: port, folder.
import base64
import json
import pathlib
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Flask, request
from markupsafe import escape

port, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
settings = json.loads((folder / 'template.json').read_text())
before, after = settings['before'], settings['after']
cipher = AESGCM(bytes.fromhex(settings['key']))
app = Flask(__name__)


def decoded(text):
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


@app.get('/blocked')
def blocked():
    header, _, iv, ciphertext, tag = request.args['p'].split('.')
    claims = json.loads(cipher.decrypt(decoded(iv), decoded(ciphertext) + decoded(tag), header.encode()))
    names = ('destination', 'rule_name', 'rule_description', 'category', 'jti')
    shown = ''.join(f'<dt>{name}</dt><dd>{escape(claims.get(name, ""))}</dd>' for name in names)
    return before + shown + after


if __name__ == '__main__':
    # The log goes to standard error, one line for each request.
    sys.stderr = open('/dev/null', 'w')
    app.run(host='127.0.0.1', port=port)
