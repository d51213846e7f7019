// Writing and reading of checkpoints: little-endian, no names, no padding.

const MAX_RUN = 255;

/** Appends numbers to a growing buffer. */
export class ByteWriter {
  #view = new DataView(new ArrayBuffer(1024));
  #at = 0;

  u8(value: number): void {
    this.#room(1).setUint8(this.#at, value);
    this.#at += 1;
  }

  u16(value: number): void {
    this.#room(2).setUint16(this.#at, value, true);
    this.#at += 2;
  }

  u32(value: number): void {
    this.#room(4).setUint32(this.#at, value, true);
    this.#at += 4;
  }

  f64(value: number): void {
    this.#room(8).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** Values as codes of 16 bits; a run of the code `repeated` is written once, with its length. */
  codes(values: Float32Array, encode: (value: number) => number, repeated: number): void {
    // The longest that it can become: each code alone, with the length of its run.
    const view = this.#room(3 * values.length);
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

  #room(more: number): DataView {
    if (this.#at + more > this.#view.byteLength) {
      const grown = new Uint8Array(Math.max(this.#view.byteLength * 2, this.#at + more));
      grown.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(grown.buffer);
    }
    return this.#view;
  }
}

/** Reads what ByteWriter wrote. A read past the end throws RangeError: the checkpoint is cut. */
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

  /** What `ByteWriter.codes` wrote. */
  codes(count: number, repeated: number): number[] {
    const out: number[] = [];
    while (out.length < count) {
      const code = this.u16();
      const run = code === repeated ? this.u8() : 1;
      for (let each = 0; each < run; each++) out.push(code);
    }
    return out;
  }
}
