"""A Wireshark dissector in Lua, made from the protocol files: link-v1 with shoe-v1 and reader-v1 on TCP and USB.

Owns the Lua text. COBS and CRC-32 are written out in it: it must run in a Wireshark that has nothing of ours. What it
shows is what the files say; a protocol change needs a new one (`spec hash` in its first lines).
"""

from __future__ import annotations

import json
from typing import Final

from cardshoe.wire.spec import DEVICE_PROTOCOLS, DeviceSpec, MessageSpec, load_spec
from cardshoe.wire.transcript import names_of

_PREAMBLE: Final = """-- Wireshark dissector of link-v1 with shoe-v1 and reader-v1; made by `cardshoe trace dissector`.
-- Spec hashes: %s
-- wireshark -X lua_script:cardshoe.lua; "Decode As" chooses cardshoe_shoe or cardshoe_reader for a TCP port.
local function cobs_decode(bytes)
  local out, at, size = ByteArray.new(), 0, bytes:len()
  while at < size do
    local code = bytes:get_index(at)
    if code == 0 or at + code > size then return nil end
    if code > 1 then out:append(bytes:subset(at + 1, code - 1)) end
    at = at + code
    if code < 255 and at < size then out:append(ByteArray.new("00")) end
  end
  return out
end

local crc_table = {}
for n = 0, 255 do
  local value = n
  for _ = 1, 8 do
    local odd = bit.band(value, 1) == 1
    value = bit.rshift(value, 1)
    if odd then value = bit.bxor(value, 0xEDB88320) end
  end
  crc_table[n] = value
end

local function crc32(bytes, count)
  local value = 0xFFFFFFFF
  for n = 0, count - 1 do
    local entry = crc_table[bit.band(bit.bxor(value, bytes:get_index(n)), 0xFF)]
    value = bit.bxor(bit.rshift(value, 8), entry)
  end
  return bit.band(bit.bnot(value), 0xFFFFFFFF) %% 4294967296
end

local function make(name, title, messages)
  local proto = Proto(name, title)
  local f = {
    version = ProtoField.uint8(name .. ".version", "version", base.HEX),
    session = ProtoField.uint8(name .. ".session", "session"),
    type = ProtoField.uint8(name .. ".type", "type", base.HEX),
    sequence = ProtoField.uint8(name .. ".sequence", "sequence"),
    length = ProtoField.uint8(name .. ".length", "length"),
    check = ProtoField.uint32(name .. ".check", "check", base.HEX),
    garbage = ProtoField.bytes(name .. ".garbage", "no frame"),
    sealed = ProtoField.bytes(name .. ".sealed", "sealed"),
    message = ProtoField.string(name .. ".message", "message"),
  }
  local list = {}
  for _, field in pairs(f) do list[#list + 1] = field end
  for _, message in pairs(messages) do
    for _, field in ipairs(message.fields) do
      local id = name .. "." .. message.name:lower() .. "." .. field.name
      if field.kind == "text" then field.proto = ProtoField.string(id, field.name)
      elseif field.kind == "bytes" then field.proto = ProtoField.bytes(id, field.name)
      else field.proto = ProtoField["uint" .. field.size * 8](id, field.name, base.DEC, field.values) end
      list[#list + 1] = field.proto
    end
  end
  proto.fields = list
  local group, severity = expert.group.CHECKSUM, expert.severity.WARN
  local wrong = ProtoExpert.new(name .. ".wrong", "frame dropped by a receiver", group, severity)
  proto.experts = { wrong }

  local function clear(content, tvb, tree, told)
    local size = content:len() - 9
    local claimed = content:get_index(4)
    if size ~= claimed then tree:add_proto_expert_info(wrong, "length is not what it says"); return end
    local computed = crc32(content, size + 5)
    local check = tvb(size + 5, 4)
    tree:add_le(f.check, check)
    if check:le_uint() ~= computed then tree:add_proto_expert_info(wrong, "check is wrong"); return end
    local message = messages[content:get_index(2)]
    if message == nil or message.size ~= size then told[#told + 1] = "unknown"; return end
    told[#told + 1] = message.name
    tree:add(f.message, message.name)
    tree:append_text(", " .. message.name)
    local at = 5
    for _, field in ipairs(message.fields) do
      if field.size > 0 then
        local add = field.kind == "number" and tree.add_le or tree.add
        add(tree, field.proto, tvb(at, field.size))
      end
      at = at + field.size
    end
  end

  local function frame(range, tree, told)
    local part = tree:add(proto, range, title)
    local content = cobs_decode(range:bytes())
    if content == nil or content:len() < 9 then part:add(f.garbage, range); told[#told + 1] = "garbage"; return end
    local tvb = content:tvb("frame")
    for n, key in ipairs({ "version", "session", "type", "sequence", "length" }) do part:add(f[key], tvb(n - 1, 1)) end
    if content:get_index(0) == 0x81 then
      part:add(f.sealed, tvb(5))
      local known = messages[content:get_index(2)]
      told[#told + 1] = "sealed " .. (known and known.name or "unknown")
    elseif content:get_index(0) == 0x01 then
      clear(content, tvb, part, told)
    else
      part:add(f.garbage, range); told[#told + 1] = "garbage"
    end
  end

  function proto.dissector(tvb, pinfo, tree)
    pinfo.cols.protocol = name
    local start, size, told = 0, tvb:len(), {}
    for at = 0, size - 1 do
      if tvb(at, 1):uint() == 0 then
        if at > start then frame(tvb(start, at - start), tree, told) end
        start = at + 1
      end
    end
    if start < size and pinfo.can_desegment > 0 then
      pinfo.desegment_offset = start
      pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
    end
    pinfo.cols.info = table.concat(told, ", ")
    return size
  end
  DissectorTable.get("tcp.port"):add_for_decode_as(proto)
  local bulk = DissectorTable.get("usb.bulk")
  if bulk ~= nil then bulk:add(0xff, proto) end
  return proto
end
"""


def dissector() -> str:
    """Return the Lua text. The shoe's is what USB bulk takes first; a TCP port is chosen by hand."""
    specs = [load_spec(name) for name in reversed(DEVICE_PROTOCOLS)]
    hashes = ", ".join(f"{spec.protocol} {spec.hash.hex()}" for spec in specs)
    return _PREAMBLE % hashes + "".join(_protocol(spec) for spec in specs)


def _protocol(spec: DeviceSpec) -> str:
    kind = spec.protocol.partition("-")[0]
    rows = "".join(_message(spec, message) for message in spec.messages.values())
    return f"\nmake({_lua(f'cardshoe_{kind}')}, {_lua(f'cardshoe {spec.protocol}')}, {{\n{rows}}})\n"


def _message(spec: DeviceSpec, message: MessageSpec) -> str:
    fields = ", ".join(
        f"{{ name = {_lua(one.name)}, kind = {_lua(one.kind)}, size = {one.size}{_values(spec, message, one.name)} }}"
        for one in message.fields
    )
    head = f"  [0x{message.type:02X}] = {{ name = {_lua(message.name)}, size = {message.size}"
    return f"{head}, fields = {{ {fields} }} }},\n"


def _values(spec: DeviceSpec, message: MessageSpec, field: str) -> str:
    names = names_of(spec, message.name, field)
    if not names:
        return ""
    return ", values = { " + ", ".join(f"[{value}] = {_lua(name)}" for value, name in names.items()) + " }"


def _lua(text: str) -> str:
    return json.dumps(text)
