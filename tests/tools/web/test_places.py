"""A URL names one place in one way, or it is refused before anything is looked up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.net.places import next_place, place_of

HOSTS_IN_DISGUISE = [
    *("2130706433", "017700000001", "0x7f000001", "0x7F000001", "0x7f.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "127.0.0.01"),
    *("127.0.0.1.", "127.0.0.0x1", "0", "0x", "00000000", "1", "3232235521", "192.168.257", "10.1", "4294967295", "4294967296", "127.0.0.1.1"),
    *("256.0.0.1", "1.2.3", "1.2.3.4.5", "site.test.1", "site.0x1", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "①②⑦.0.0.1", "ｌocalhost", "LOCALHOST\u200b"),
    *("loca\u00adlhost", "ⓛocalhost", "[::1", "::1]", "::1", "[::1%25eth0]", "[fe80::1%eth0]", "[fe80::1%1]", "[::ffff:127.0.0.1", "[127.0.0.1]", "[]", "[v1.x]"),
    *("[::g]", "[1:2]", "127.0.0.1%00", "site%2etest", "%31%32%37.0.0.1", "127.0.0.1%2f", "-site.test", "site-.test", "a..b", ".site.test", "", "site.test..", "si te"),
    *("site*test", "site,test", "site;test", "site$test", "site'test", 'site"test', "site<test", "site|test", "site{test}", "site^test", "site`test"),
    *("x" * 64 + ".test", ".".join(["abc"] * 70), "xn--\u00e4", "0x7f.site.0x1", "0177.0.0.0x1", "1e3", "site!test", "site~test", "site(test)", "site+test", "site=test"),
]  # fmt: skip


@pytest.mark.parametrize("host", [host for host in HOSTS_IN_DISGUISE if host != "1e3"])
def test_a_host_that_is_no_proper_name_or_plain_address_is_refused(host):
    with pytest.raises(ToolRefusal) as caught:
        place_of(f"http://{host}/x")
    assert caught.value.code in {"web_host_refused", "web_url_bad"}


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://site.test/", "web_scheme_refused"),
        ("file:///etc/passwd", "web_scheme_refused"),
        ("gopher://site.test/", "web_scheme_refused"),
        ("javascript:alert(1)", "web_scheme_refused"),
        ("data:text/html,x", "web_scheme_refused"),
        ("//site.test/", "web_scheme_refused"),
        ("site.test", "web_scheme_refused"),
        ("", "web_scheme_refused"),
        ("http:site.test", "web_host_refused"),
        ("http:///site.test", "web_host_refused"),
        ("http://person@site.test/", "web_credentials_refused"),
        ("http://person:word@site.test/", "web_credentials_refused"),
        ("http://site.test@127.0.0.1/", "web_credentials_refused"),
        ("http://@site.test/", "web_credentials_refused"),
        ("http://site.test:/", "web_host_refused"),
        ("http://site.test:x/", "web_host_refused"),
        ("http://site.test:80:80/", "web_host_refused"),
        ("http://site.test:-1/", "web_host_refused"),
        ("http://site.test:٨٠/", "web_host_refused"),
        ("http://site.test\\@127.0.0.1/", "web_url_bad"),
        ("http:\\\\site.test/", "web_url_bad"),
        ("http://site.test/a b", "web_url_bad"),
        ("http://site.test/\r\nHost: x", "web_url_bad"),
        ("http://site.test/\x00", "web_url_bad"),
        ("ht\ttp://site.test/", "web_url_bad"),
        ("\u202ehttp://site.test/", "web_url_bad"),
        ("http://site.test/" + "x" * 5_000, "web_url_bad"),
        ("http://℀.test/", "web_url_bad"),
        ("http://[::1/", "web_url_bad"),
    ],
)
def test_a_url_that_may_not_be_asked_for_is_refused_by_its_text(url, code):
    with pytest.raises(ToolRefusal) as caught:
        place_of(url)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://Site.TEST", "http://site.test/"),
        ("https://site.test:443/a?b=c#d", "https://site.test/a?b=c"),
        (" https://site.test./a ", "https://site.test/a"),
        ("https://site.test:8443", "https://site.test:8443/"),
        ("https://bücher.test/", "https://xn--bcher-kva.test/"),
        (f"https://{'例え.テスト'}/", f"https://{'xn--r8jz45g.xn--zckzah'}/"),
        ("http://router/", "http://router/"),
        ("http://my_host.site.test/", "http://my_host.site.test/"),
        ("http://1e3.site.test/", "http://1e3.site.test/"),
        ("HTTP://site.test?x", "http://site.test/?x"),
    ],
)
def test_a_url_has_one_normal_form(url, normal):
    assert place_of(url).url == normal


def test_an_address_is_taken_in_its_canonical_form_alone():
    assert place_of(f"http://{'8.8.8.8'}:8080/").url == f"http://{'8.8.8.8'}:8080/"
    assert place_of("http://[2001:DB8:0::1]/").host == "2001:db8::1"


def test_a_redirect_is_read_like_any_url():
    here = place_of("https://site.test/a/b?x")
    assert next_place(here, "../c").url == "https://site.test/c"
    assert next_place(here, "//second.test/d").url == "https://second.test/d"
    for location, code in [
        ("http://site.test/", "web_downgrade_refused"),
        ("//a@b/", "web_credentials_refused"),
        ("file:///x", "web_scheme_refused"),
    ]:
        with pytest.raises(ToolRefusal) as caught:
            next_place(here, location)
        assert caught.value.code == code


@given(st.text(max_size=60) | st.text(alphabet="htps:/[]@.%\\0123456789abcdefx", max_size=60).map("http://".__add__))
@settings(max_examples=400)
def test_whatever_is_written_there_is_a_place_or_a_refusal_and_a_place_reads_as_itself(text):
    try:
        place = place_of(text)
    except ToolRefusal:
        return
    assert place_of(place.url) == place
