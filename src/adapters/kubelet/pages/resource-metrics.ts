// Parses the five series of the kubelet's `/metrics/resource` that Evenkeel uses. It runs once a minute for every container of the cluster,
// so it reads the bytes of the page and creates no strings; a general Prometheus parser would spend most of its time on other series.

/** Identity of a container, from its series' labels. */
export interface SeriesLabels {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export const SERIES = { containerCpu: 0, containerMemory: 1, containerStart: 2, nodeCpu: 3, nodeMemory: 4 } as const;
export type Series = (typeof SERIES)[keyof typeof SERIES];

/**
 * Receives a sample.
 * @param labelsFrom bytes of the page between the braces, equal for all series of a container; for a node's series from and to 0
 * @param value NaN: it is not a number
 * @param at NaN: it has no time
 */
export type TakeSample = (series: Series, labelsFrom: number, labelsTo: number, value: number, at: number) => void;

interface Family {
  readonly series: Series;
  readonly prefix: Buffer;
  readonly ofContainers: boolean;
}

const FAMILIES: readonly Family[] = [
  { series: SERIES.containerCpu, prefix: Buffer.from('container_cpu_usage_seconds_total{'), ofContainers: true },
  { series: SERIES.containerMemory, prefix: Buffer.from('container_memory_working_set_bytes{'), ofContainers: true },
  { series: SERIES.containerStart, prefix: Buffer.from('container_start_time_seconds{'), ofContainers: true },
  { series: SERIES.nodeCpu, prefix: Buffer.from('node_cpu_usage_seconds_total'), ofContainers: false },
  { series: SERIES.nodeMemory, prefix: Buffer.from('node_memory_working_set_bytes'), ofContainers: false },
];
/** Kubernetes limits names of namespaces, pods and containers to 63, 253 and 63 characters. */
const MAX_LABELS_LENGTH = 1024;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
const CLOSING_BRACE = 0x7d;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** Numbers of so many digits are exact in a double, and so is their quotient by a power of ten, which is rounded once. */
const EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** Reads a page in one pass. Lines that are not samples are skipped. */
export function readSamples(page: Buffer, take: TakeSample): void {
  const { length } = page;
  for (let from = 0; from < length;) {
    let end = page.indexOf(NEWLINE, from);
    if (end === -1) end = length;
    if (page[from] !== HASH) readLine(page, from, end, take);
    from = end + 1;
  }
}

function readLine(page: Buffer, from: number, end: number, take: TakeSample): void {
  for (const family of FAMILIES) {
    if (!startsWith(page, from, end, family.prefix)) continue;
    readFamily(page, family, from + family.prefix.length, end, take);
    return;
  }
}

function startsWith(page: Buffer, from: number, end: number, prefix: Buffer): boolean {
  if (end - from < prefix.length) return false;
  for (let index = 0; index < prefix.length; index += 1) if (page[from + index] !== prefix[index]) return false;
  return true;
}

function readFamily(page: Buffer, { series, ofContainers }: Family, from: number, end: number, take: TakeSample): void {
  const close = ofContainers ? lastBrace(page, from, end) : from;
  if (close === -1 || close - from > MAX_LABELS_LENGTH) return;
  const after = ofContainers ? close + 1 : from;
  const start = skipSpaces(page, after, end);
  // Without a space it is a longer metric name with the same prefix.
  if (start === after) return;
  let stop = start;
  while (stop < end && page[stop] !== SPACE) stop += 1;
  const timeFrom = skipSpaces(page, stop, end);
  const value = numberAt(page, start, stop);
  if (!ofContainers) take(series, 0, 0, value, numberAt(page, timeFrom, end));
  else if (series === SERIES.containerStart) take(series, from, close, value * 1000, Number.NaN);
  else take(series, from, close, value, numberAt(page, timeFrom, end));
}

/** Names contain no brace, so the last brace of the line ends the labels. -1: none. */
function lastBrace(page: Buffer, from: number, end: number): number {
  for (let at = end - 1; at >= from; at -= 1) if (page[at] === CLOSING_BRACE) return at;
  return -1;
}

function skipSpaces(page: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && page[at] === SPACE) at += 1;
  return at;
}

/** NaN where the bytes are not a number, or none. */
function numberAt(page: Buffer, from: number, end: number): number {
  if (from >= end) return Number.NaN;
  const isNegative = page[from] === MINUS;
  let [mantissa, digits, decimals, isFraction] = [0, 0, 0, false];
  for (let at = isNegative ? from + 1 : from; at < end; at += 1) {
    const byte = page[at] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      mantissa = mantissa * 10 + (byte - ZERO);
      digits += 1;
      if (isFraction) decimals += 1;
    } else if (byte === DOT && !isFraction) isFraction = true;
    else return Number(page.toString('latin1', from, end));
  }
  if (digits === 0 || digits > EXACT_DIGITS) return Number(page.toString('latin1', from, end));
  const value = mantissa / (POWERS_OF_TEN[decimals] ?? Number.NaN);
  return isNegative ? -value : value;
}

/** Anchored, so that text without quotes is not matched from each character. */
const LABEL = /(?:^|,)([a-z_]{1,64})="((?:[^"\\]|\\.)*)"/g;

/** The labels of one container; null where one of the three is missing. */
export function readLabels(labels: string): SeriesLabels | null {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of labels.matchAll(LABEL)) found.set(name, value.replace(/\\(.)/g, '$1'));
  const namespace = found.get('namespace');
  const pod = found.get('pod');
  const container = found.get('container');
  return namespace === undefined || pod === undefined || container === undefined ? null : { namespace, pod, container };
}
