// The text format in which a kubelet prints metrics, number by number as Go prints them.

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch; null prints none. */
  readonly timestampMs: number | null;
}

/** Families by name, labels by name. Families without samples are left out. */
export function prometheusText(families: readonly MetricFamily[]): string {
  let text = '';
  for (const family of families) {
    if (family.samples.length === 0) continue;
    text += `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n`;
    for (const sample of family.samples) {
      const time = sample.timestampMs === null ? '' : ` ${Math.floor(sample.timestampMs)}`;
      text += `${family.name}${labelsText(sample.labels)} ${goFloat(sample.value)}${time}\n`;
    }
  }
  return text;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.keys(labels).map((name) => `${name}="${escaped(labels[name] ?? '')}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Go turns to an exponent from 1e+06 on and below 1e-04 (`strconv.FormatFloat(value, 'g', -1, 64)`). */
const LEAST_EXPONENT = -4;
const GREATEST_EXPONENT = 5;

/** Shortest digits that read back as the same number, in Go's notation: `380928`, `1.253376e+07`. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return '0';
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= LEAST_EXPONENT && exponent <= GREATEST_EXPONENT) return value.toString();
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
