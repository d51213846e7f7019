// Number formats: units in the cell, a true minus, a thin space before the percent sign, two decimals of money up to $100,000. Pure.

const MINUS = '−';

/** `$170.10`, `−$62.00`, `$120,400`; an em dash for null. */
export function money(amount: number | null): string {
  if (amount === null) return '—';
  const digits = Math.abs(amount) >= 100_000 ? 0 : 2;
  const text = Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${amount < 0 ? MINUS : ''}$${text}`;
}

/** `saves $2.39`, `needs $10.89 more`: words instead of a sign, which readers take for either direction. */
export function savingsText(perMonthUsd: number): string {
  if (Math.round(perMonthUsd * 100) === 0) return 'no change';
  return perMonthUsd > 0 ? `saves ${money(perMonthUsd)}` : `needs ${money(-perMonthUsd)} more`;
}

/** `1,200m`. */
export function cpu(millicores: number | null): string {
  return millicores === null ? '—' : `${signed(Math.round(millicores))}m`;
}

/** `928 MiB`, `3.5 GiB`; GiB from 2 GiB on, where one decimal is precise enough. */
export function memory(bytes: number | null): string {
  if (bytes === null) return '—';
  const mebibytes = bytes / 2 ** 20;
  if (Math.abs(mebibytes) < 2048) return `${signed(Math.round(mebibytes))} MiB`;
  return `${signed(Math.round((mebibytes / 1024) * 10) / 10)} GiB`;
}

/** `899.3 MiB`: for steps of a sum, which must visibly add up. */
export function memoryStep(bytes: number | null): string {
  return bytes === null ? '—' : `${signed(Math.round((bytes / 2 ** 20) * 10) / 10)} MiB`;
}

/** `34 %`, of a fraction. */
export function percent(ratio: number | null): string {
  return ratio === null ? '—' : `${signed(Math.round(ratio * 100))}\u202f%`;
}

/** Axis values in cores and GiB: `46.2`, `118`. */
export function amount(value: number, unit: 'millicores' | 'bytes'): string {
  const scaled = unit === 'millicores' ? value / 1000 : value / 2 ** 30;
  return scaled.toLocaleString('en-US', { maximumFractionDigits: scaled >= 100 ? 0 : 1 });
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' });

/** `12 Nov 09:41`. */
export function moment(time: string | number): string {
  const date = new Date(time);
  return `${DAY.format(date)} ${CLOCK.format(date)}`;
}

export function day(time: number): string {
  return DAY.format(new Date(time));
}

export function clock(time: string | number): string {
  return CLOCK.format(new Date(time));
}

/** `14:32:08`. */
export function clockSeconds(time: string): string {
  return SECONDS.format(new Date(time));
}

/** `4 min`, `3 h`, `2 d`. */
export function age(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `1 pod`, `4 pods`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

function signed(value: number): string {
  const text = Math.abs(value).toLocaleString('en-US');
  return value < 0 ? `${MINUS}${text}` : text;
}
