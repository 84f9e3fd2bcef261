"""Over TLS the certificate is checked against the name that was asked for, though the connection goes to an address."""

import asyncio
import datetime as dt
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tools.web.ground import PUBLIC, browsing, leads_to, reply


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    """A server's and a client's TLS context with one certificate for site.test that nobody else trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site.test")])
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=36_500))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("site.test"), x509.IPAddress(ipaddress.ip_address("8.8.8.8"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "site.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "site.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "site.pem", folder / "site.key")
    client = ssl.create_default_context(cafile=str(folder / "site.pem"))
    return server, client


def read(answers, url, contexts, *, trusted=True, **more):
    server, client = contexts
    greeted = []
    server.sni_callback = lambda _, name, __: greeted.append(name)

    async def scene():
        async with browsing(answers, tls=server, client_tls=client if trusted else None, **more) as (site, call):
            return await call("web_fetch", f'{{"url": "{url}"}}'), site

    return (*asyncio.run(scene()), greeted)


def test_the_name_is_in_the_greeting_and_the_address_is_what_was_checked(contexts):
    result, site, greeted = read({"/": reply("<p>Hello</p>")}, "https://site.test/", contexts)
    assert not result.is_error
    assert (greeted, site.dialled) == (["site.test"], [(PUBLIC, 443)])


def test_a_certificate_of_another_name_is_refused(contexts):
    result, site, _ = read({"/": reply("x")}, "https://second.test/", contexts)
    assert (result.code, site.asked) == ("web_unreachable", [])


def test_a_certificate_that_nobody_vouches_for_is_refused(contexts):
    result, site, _ = read({"/": reply("x")}, "https://site.test/", contexts, trusted=False)
    assert (result.code, site.asked) == ("web_unreachable", [])


def test_a_page_that_leads_from_https_to_http_is_not_followed(contexts):
    result, site, _ = read({"/": leads_to("http://site.test/plain")}, "https://site.test/", contexts)
    assert (result.code, len(site.asked)) == ("web_downgrade_refused", 1)
