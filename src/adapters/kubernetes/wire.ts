// Decoding of JSON into records: a reader throws, a decoder returns a value.

import { WireError, type Wire } from '#kube/wire';

export * from '#kube/wire';

/** Result of decoding one object. */
export type Decoded<T> = { readonly ok: true; readonly record: T } | { readonly ok: false; readonly problem: string };

/** Converts a reader that throws WireError into a decoder that returns a value. */
export function decoder<T>(read: (wire: Wire) => T): (wire: Wire) => Decoded<T> {
  return (wire) => {
    try {
      return { ok: true, record: read(wire) };
    } catch (err) {
      if (err instanceof WireError) return { ok: false, problem: err.message };
      throw err;
    }
  };
}
