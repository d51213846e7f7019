// The numbers of one model in one buffer: a typed array of its own takes 400 bytes besides its values, and a model has a dozen.

/** Sections begin at a multiple of this, as a Float64Array requires. */
const ALIGNMENT = 8;

/** One buffer with a section for each array. Sections grow with what they hold. */
export class ModelStore {
  #buffer = new ArrayBuffer(0);
  /** The whole buffer: views of single sections would be created for each access, which takes longer than the access. */
  #floats = new Float32Array(this.#buffer);
  #codes = new Uint16Array(this.#buffer);
  /** Start of each section, and the end of the last. */
  readonly #starts = [0];

  /** Adds an empty section. */
  addSection(): StoreSection {
    return new StoreSection(this, this.#starts.push(this.#starts.at(-1) ?? 0) - 2);
  }

  get floats(): Float32Array {
    return this.#floats;
  }

  get codes(): Uint16Array {
    return this.#codes;
  }

  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  /** First byte of a section. */
  startOf(section: number): number {
    return this.#starts[section] ?? 0;
  }

  /** Length of a section in bytes. */
  lengthOf(section: number): number {
    return this.startOf(section + 1) - this.startOf(section);
  }

  /** Changes the length of a section to a number of bytes, rounded up. Its bytes are kept up to the new length, and the new ones are 0. */
  resize(section: number, length: number): void {
    const added = Math.ceil(length / ALIGNMENT) * ALIGNMENT - this.lengthOf(section);
    if (added === 0) return;
    const next = this.startOf(section + 1);
    const before = new Uint8Array(this.#buffer);
    const after = new Uint8Array(before.length + added);
    after.set(before.subarray(0, Math.min(next, next + added)));
    after.set(before.subarray(next), next + added);
    this.#buffer = after.buffer;
    this.#floats = new Float32Array(this.#buffer);
    this.#codes = new Uint16Array(this.#buffer);
    for (let later = section + 1; later < this.#starts.length; later++) this.#starts[later] = (this.#starts[later] ?? 0) + added;
  }
}

/** An array of a model. Its arrays and places are valid until a section of the store is resized. */
export class StoreSection {
  readonly #store: ModelStore;
  readonly #index: number;

  constructor(store: ModelStore, index: number) {
    this.#store = store;
    this.#index = index;
  }

  /** A section of a store of its own. */
  static alone(): StoreSection {
    return new ModelStore().addSection();
  }

  /** The whole store as single-precision numbers, and the place of the section's first one. */
  get floats(): Float32Array {
    return this.#store.floats;
  }

  get firstFloat(): number {
    return this.#store.startOf(this.#index) / Float32Array.BYTES_PER_ELEMENT;
  }

  /** The whole store as 16-bit codes, the place of the section's first one, and their count. */
  get codes(): Uint16Array {
    return this.#store.codes;
  }

  get firstCode(): number {
    return this.#store.startOf(this.#index) / Uint16Array.BYTES_PER_ELEMENT;
  }

  get codeCount(): number {
    return this.#store.lengthOf(this.#index) / Uint16Array.BYTES_PER_ELEMENT;
  }

  /** The section alone as bytes. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#store.buffer, this.#store.startOf(this.#index), this.#store.lengthOf(this.#index));
  }

  /** The section alone as 32-bit counts. */
  counts(): Uint32Array {
    const length = this.#store.lengthOf(this.#index) / Uint32Array.BYTES_PER_ELEMENT;
    return new Uint32Array(this.#store.buffer, this.#store.startOf(this.#index), length);
  }

  copyFrom(other: StoreSection): void {
    const bytes = other.bytes().slice();
    this.resize(bytes.length);
    this.bytes().set(bytes);
  }

  /** Changes the length in bytes, rounded up to a multiple of 8. Earlier views of all sections become invalid. */
  resize(length: number): void {
    this.#store.resize(this.#index, length);
  }
}
