// Logarithmic scales for usage values: 16-bit codes for storage, exact to 0.04 %, and 5 % buckets for histograms. Both are
// monotonic, so maxima and percentiles need no decoding.

/** Smallest value above zero, in millicores or bytes. */
const MIN = 0.01;
/** Width of one code: 65,533 of them reach from 0.01 to above 10^18. */
const CODE_WIDTH = 0.0007;
const MAX_CODE = 65_535;

/** Code of NaN: not measured. */
export const UNKNOWN_CODE = 0;
/** Code of zero. */
export const ZERO_CODE = 1;

/** Value → code; NaN → UNKNOWN_CODE. Monotonic. */
export function encodeValue(value: number): number {
  if (Number.isNaN(value)) return UNKNOWN_CODE;
  if (value < MIN) return ZERO_CODE;
  return Math.min(MAX_CODE, ZERO_CODE + 1 + Math.round(Math.log(value / MIN) / CODE_WIDTH));
}

/** Code → value; UNKNOWN_CODE → NaN. */
export function decodeValue(code: number): number {
  if (code === UNKNOWN_CODE) return NaN;
  if (code === ZERO_CODE) return 0;
  return MIN * Math.exp((code - ZERO_CODE - 1) * CODE_WIDTH);
}

/** VPA's width: percentiles are exact to within 5 %. */
const BUCKET_RATIO = 1.05;
const BUCKET_WIDTH = Math.log(BUCKET_RATIO);
/** Values below one unit (a millicore, a byte) share bucket 0. */
const MIN_BUCKETED = 1;

/** Bucket of a value. */
export function bucketOf(value: number): number {
  return value < MIN_BUCKETED ? 0 : 1 + Math.floor(Math.log(value) / BUCKET_WIDTH);
}

/** Geometric middle of a bucket, so that percentiles have no bias. */
export function bucketValue(bucket: number): number {
  return bucket === 0 ? 0 : Math.exp((bucket - 0.5) * BUCKET_WIDTH);
}
