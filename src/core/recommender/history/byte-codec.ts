// Encoding of checkpoints: little-endian, no names, no padding.

const MAX_RUN = 255;

/** Appends numbers to a growing buffer. */
export class ByteWriter {
  #view = new DataView(new ArrayBuffer(1024));
  #at = 0;

  u8(value: number): void {
    this.#ensureCapacity(1).setUint8(this.#at, value);
    this.#at += 1;
  }

  u16(value: number): void {
    this.#ensureCapacity(2).setUint16(this.#at, value, true);
    this.#at += 2;
  }

  u32(value: number): void {
    this.#ensureCapacity(4).setUint32(this.#at, value, true);
    this.#at += 4;
  }

  f64(value: number): void {
    this.#ensureCapacity(8).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** Writes values as 16-bit codes, with run-length encoding of the code `repeated`. */
  codes(values: Float32Array, encode: (value: number) => number, repeated: number): void {
    // Upper bound of the encoded size: each code alone, with its run length.
    const view = this.#ensureCapacity(3 * values.length);
    let run = 0;
    let at = this.#at;
    for (const value of values) {
      const code = encode(value);
      if (code === repeated && run > 0 && run < MAX_RUN) {
        run += 1;
        view.setUint8(at - 1, run);
        continue;
      }
      view.setUint16(at, code, true);
      at += 2;
      run = code === repeated ? 1 : 0;
      if (run === 1) view.setUint8(at++, run);
    }
    this.#at = at;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#view.buffer.slice(0, this.#at));
  }

  #ensureCapacity(more: number): DataView {
    if (this.#at + more > this.#view.byteLength) {
      const grown = new Uint8Array(Math.max(this.#view.byteLength * 2, this.#at + more));
      grown.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(grown.buffer);
    }
    return this.#view;
  }
}

/** Decodes the output of ByteWriter. A read past the end throws RangeError: the checkpoint is truncated. */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    this.#at += 1;
    return this.#view.getUint8(this.#at - 1);
  }

  u16(): number {
    this.#at += 2;
    return this.#view.getUint16(this.#at - 2, true);
  }

  u32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  f64(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  /** Decodes the output of `ByteWriter.codes`. */
  codes(count: number, repeated: number): number[] {
    const out: number[] = [];
    while (out.length < count) {
      const code = this.u16();
      const run = code === repeated ? this.u8() : 1;
      for (let index = 0; index < run; index++) out.push(code);
    }
    return out;
  }
}
