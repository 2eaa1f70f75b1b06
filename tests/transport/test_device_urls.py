"""Device URLs: the spelling that selects hardware or simulation (promise P10)."""

from __future__ import annotations

import asyncio
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.errors import ConfigError
from cardshoe.transport import DeviceUrl, SerialUrl, SimUrl, TcpUrl, UsbUrl, open_transport, parse_device_url

GOOD = [
    ("serial:///dev/ttyACM0", SerialUrl("/dev/ttyACM0")),
    ("serial:///dev/serial/by-id/usb-1a86_USB2.0-Ser!-if00", SerialUrl("/dev/serial/by-id/usb-1a86_USB2.0-Ser!-if00")),
    ("tcp://127.0.0.1:7001", TcpUrl("127.0.0.1", 7001)),
    ("tcp://shoe-4.pit.example:65535", TcpUrl("shoe-4.pit.example", 65535)),
    ("tcp://[::1]:1", TcpUrl("::1", 1)),
    ("usb://1209:0001/SHOE0001", UsbUrl(0x1209, 0x0001, "SHOE0001")),
    ("usb://1a86:7523/with/slash", UsbUrl(0x1A86, 0x7523, "with/slash")),
    ("sim://shoe", SimUrl("shoe")),
]

BAD = [
    ("", "empty"),
    (" tcp://h:1", "spaces"),
    ("tcp://h:1\n", "control character"),
    ("/dev/ttyACM0", "serial:///dev/ttyACM0"),
    ("127.0.0.1:7001", "tcp://127.0.0.1:7001"),
    ("shoe", "kind is missing"),
    ("http://h:1", "'http'"),
    ("SERIAL:///dev/x", "'SERIAL'"),
    ("serial://dev/ttyACM0", "serial:///dev/ttyACM0"),
    ("serial://", "three slashes"),
    ("serial:///dev/", "directory"),
    ("tcp://h", "tcp://host:port"),
    ("tcp://:80", "tcp://host:port"),
    ("tcp://h:", "port ''"),
    ("tcp://h:0", "port '0'"),
    ("tcp://h:65536", "port '65536'"),
    ("tcp://h:١", "port '١'"),
    ("tcp://h:80/", "port '80/'"),
    ("tcp://::1:80", "brackets"),
    ("tcp://[nonsense]:80", "IPv6"),
    ("tcp://a b:80", "no host name"),
    ("tcp://user@h:80", "no host name"),
    ("tcp://-h:80", "no host name"),
    ("usb://1209:0001", "serial number"),
    ("usb://1209:0001/", "serial number"),
    ("usb://12:0001/S", "four hexadecimal"),
    ("usb://1209:zzzz/S", "four hexadecimal"),
    ("sim://", "no name"),
]


@pytest.mark.parametrize(("text", "url"), GOOD)
def test_a_url_is_read_and_written_back(text: str, url: DeviceUrl) -> None:
    assert parse_device_url(text) == url
    assert str(url) == text


@pytest.mark.parametrize(("text", "says"), BAD)
def test_a_wrong_url_is_quoted_and_says_how_it_is_written(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_device_url(text)
    assert refused.value.code == "device-url"
    assert refused.value.exit_status == 2
    assert repr(text) in refused.value.text
    assert says in refused.value.text


names = st.text(string.ascii_letters + string.digits + "._:-!", min_size=1, max_size=20)
urls = st.one_of(
    st.builds(SerialUrl, names.map(lambda name: f"/dev/{name}")),
    st.builds(TcpUrl, st.ip_addresses().map(str), st.integers(1, 65535)),
    st.builds(UsbUrl, st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), names),
    st.builds(SimUrl, names),
)


@given(url=urls)
def test_what_is_written_is_read_as_the_same(url: DeviceUrl) -> None:
    assert parse_device_url(str(url)) == url


rests = st.text(st.sampled_from("/:[]-.@aF0165 é\x00"), max_size=20)
nearly = st.one_of(
    st.text(max_size=40), st.tuples(st.sampled_from(["serial", "tcp", "usb", "sim", ""]), rests).map("://".join)
)


@given(text=nearly)
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    refused = None
    try:
        url = parse_device_url(text)
    except ConfigError as error:
        refused = error
    if refused is None:
        assert parse_device_url(str(url)) == url
    else:
        assert repr(text) in refused.text


def test_a_simulated_device_is_refused_where_real_ones_are_opened() -> None:
    """P10, and section 3 of the design: a live table refuses a simulated device."""
    with pytest.raises(ConfigError) as refused:
        asyncio.run(open_transport("sim://shoe"))
    assert refused.value.code == "simulated-device-refused"
    assert "sim://shoe" in refused.value.text
