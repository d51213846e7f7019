// Records that Evenkeel writes on objects of users. A user who may annotate the object can write any value there, so a record
// is trusted only with a valid signature.

/** The object and field of a record: its signature is invalid on another object or in another field. */
export interface RecordBinding {
  readonly kind: string;
  readonly uid: string;
  /** Name of the annotation. */
  readonly field: string;
}

/** Signs records and verifies their signatures. */
export interface RecordSigner {
  /** Without a key no record can be signed, and none is verified. */
  readonly hasKey: boolean;
  /** Returns the record, a JSON object, with its signature as its last member. @throws without a key */
  sign(binding: RecordBinding, record: string): string;
  /** Whether the record has a valid signature for the binding. */
  isAuthentic(binding: RecordBinding, value: string): boolean;
}
