// Records that Evenkeel writes on objects of others: whoever may annotate the object can write anything there, so that one
// counts only with a signature that nobody else can make.

/** What a record is of: on another object, or in another field, it does not count. */
export interface RecordBinding {
  readonly kind: string;
  readonly uid: string;
  /** Name of the annotation. */
  readonly field: string;
}

export interface RecordSigner {
  /** Without a key nothing is signed, and no record is known to be ours. */
  readonly hasKey: boolean;
  /** The record, a JSON object, with its signature as its last member. @throws without a key */
  sign(binding: RecordBinding, record: string): string;
  isOurs(binding: RecordBinding, value: string): boolean;
}
