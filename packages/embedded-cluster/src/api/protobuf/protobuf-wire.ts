/** Wire types of protobuf that proto2 messages without groups use. */
export type WireValue =
  | { readonly wire: 'varint'; readonly value: bigint }
  | { readonly wire: 'fixed64'; readonly bytes: Buffer }
  | { readonly wire: 'bytes'; readonly bytes: Buffer }
  | { readonly wire: 'fixed32'; readonly bytes: Buffer };

/** The fields of one message in the order of their transmission. Throws RangeError when the bytes are truncated. */
export function* wireFields(bytes: Buffer): Iterable<{ readonly number: number; readonly value: WireValue }> {
  let at = 0;
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: { wire: 'varint', value: varint() } };
        break;
      case 1:
        yield { number, value: { wire: 'fixed64', bytes: take(8) } };
        break;
      case 2:
        yield { number, value: { wire: 'bytes', bytes: take(Number(varint())) } };
        break;
      case 5:
        yield { number, value: { wire: 'fixed32', bytes: take(4) } };
        break;
      default:
        throw new RangeError(`unknown wire type ${Number(tag & 7n)} of field ${number}`);
    }
  }

  function varint(): bigint {
    const start = at;
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('a number is truncated');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError(`the number at byte ${start} is not terminated`);
  }

  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new RangeError('a value is truncated');
    at += length;
    return bytes.subarray(at - length, at);
  }
}
