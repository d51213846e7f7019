// How records are made of wire JSON: a reader throws, a decoder answers a value.

import { WireError, type Wire } from '#kube/wire';

export * from '#kube/wire';

/** What a decoder makes of one object. */
export type Decoded<T> = { readonly ok: true; readonly record: T } | { readonly ok: false; readonly problem: string };

/** Turns a reader that throws WireError into one that answers a value. */
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
