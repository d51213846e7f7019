// Branded numbers: plain numbers at run time, whose phantom field prevents passing millicores as bytes without a cast for each
// literal.

/** CPU in thousandths of a core. */
export type Millicores = number & { readonly __unit?: 'millicores' };
/** Memory or storage in bytes. */
export type Bytes = number & { readonly __unit?: 'bytes' };
/** A point in domain time, in milliseconds since the Unix epoch. */
export type Instant = number & { readonly __unit?: 'instant' };
/** A span of domain time in milliseconds. */
export type DurationMs = number & { readonly __unit?: 'ms' };
/** A fraction, 0–1 unless documented otherwise. */
export type Ratio = number & { readonly __unit?: 'ratio' };
/** United States dollars. */
export type Usd = number & { readonly __unit?: 'usd' };

export const KiB: Bytes = 1024;
export const MiB: Bytes = 1024 * KiB;
export const GiB: Bytes = 1024 * MiB;

export const SECOND_MS: DurationMs = 1000;
export const MINUTE_MS: DurationMs = 60 * SECOND_MS;
export const HOUR_MS: DurationMs = 60 * MINUTE_MS;
export const DAY_MS: DurationMs = 24 * HOUR_MS;

/** Hours of a month in prices, as used by cloud providers. */
export const HOURS_PER_MONTH = 730;
