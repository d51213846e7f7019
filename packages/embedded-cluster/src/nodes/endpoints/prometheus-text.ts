// The text format of kubelet metrics, with numbers in Go's notation.

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Labels as `seriesLabels` writes them; '' for none. They never change, so the owner of a series keeps the text. */
  readonly labels: string;
  readonly value: number;
  /** Milliseconds since the epoch; null prints none. */
  readonly timestampMs: number | null;
}

/** Families by name, labels by name. Families without samples are left out. */
export function prometheusText(families: readonly MetricFamily[]): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    if (samples.length === 0) continue;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { labels, value, timestampMs } of samples) {
      text +=
        name +
        (labels === '' ? '' : `{${labels}}`) +
        ' ' +
        goFloat(value) +
        (timestampMs === null ? '\n' : ` ${Math.floor(timestampMs)}\n`);
    }
  }
  return text;
}

/** The text between the braces: `namespace="shop",pod="web-0"`. */
export function seriesLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Go writes an exponent from 1e+06 on and below 1e-04 (`strconv.FormatFloat(value, 'g', -1, 64)`). */
const MIN_PLAIN = 1e-4;
const MIN_WITH_EXPONENT = 1e6;

/** Shortest digits that read back as the same number, in Go's notation: `380928`, `1.253376e+07`. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= MIN_PLAIN && size < MIN_WITH_EXPONENT) return String(value);
  const text = value.toExponential();
  const split = text.indexOf('e');
  return `${text.slice(0, split)}e${text.charAt(split + 1)}${text.slice(split + 2).padStart(2, '0')}`;
}
