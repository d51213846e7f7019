// Parses three of about a hundred metric families of the kubelet's `/metrics/cadvisor`. A page of 110 pods has 2 to 10 MB, so it is parsed
// chunk by chunk as it arrives: other families are skipped with one native search each, without decoding.

import type { Instant } from '#kube/units';
import type { ContainerCounters } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';

type Family = 'cpuPeriods' | 'throttledPeriods' | 'oomEvents';

const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['container_cpu_cfs_periods_total', 'cpuPeriods'],
  ['container_cpu_cfs_throttled_periods_total', 'throttledPeriods'],
  ['container_oom_events_total', 'oomEvents'],
]);

/** Longest name of a parsed family, plus the character that ends it. */
const NAME_BYTES = 1 + Math.max(...[...FAMILIES.keys()].map((name) => name.length));
/** Container labels are far shorter; a longer line is not Prometheus text. */
const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const HASH = 0x23;
/** `# HELP ` and `# TYPE `. */
const HEADER_BYTES = 7;
const NOTHING = Buffer.alloc(0);
const LINE_BREAK = Buffer.from('\n');

interface Counters {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly instance: string;
  at: Instant | null;
  cpuPeriods: number | null;
  throttledPeriods: number | null;
  oomEvents: number | null;
}

/** Parses a page in chunks of any size. Memory is bounded by one chunk, one line and the counters found. */
export class CadvisorPage {
  readonly #maxContainers: number;
  readonly #found = new Map<string, Counters>();
  #rest: Buffer = NOTHING;
  /** True inside a skipped family; `#rest` then begins at the end of one of its lines. */
  #skipping = false;

  /** @param maxContainers maximum container instances: after a restart a container may have two */
  constructor(maxContainers: number) {
    this.#maxContainers = maxContainers;
  }

  /**
   * @param chunk is not used after the call
   * @throws Error where a line is longer than MAX_LINE_BYTES; PageTooLarge where there are more than `maxContainers`
   */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (;;) {
      if (this.#skipping) {
        const header = bytes.indexOf('\n#', from);
        if (header === -1) {
          // The line break may be the last byte of this chunk, with the next header in the next chunk.
          this.#rest = bytes.at(-1) === NEWLINE ? LINE_BREAK : NOTHING;
          return;
        }
        from = header + 1;
        this.#skipping = false;
      }
      const end = bytes.indexOf(NEWLINE, from);
      if (end === -1) break;
      from = this.#takeLine(bytes, from, end);
    }
    if (bytes.length - from > MAX_LINE_BYTES) throw new Error(`a line of the page is longer than ${MAX_LINE_BYTES} bytes`);
    // Copied, since the memory of a chunk is freed after the call.
    this.#rest = Buffer.from(bytes.subarray(from));
  }

  /** Returns the counters of every container. Call it once, after the last chunk. */
  end(): readonly ContainerCounters[] {
    if (!this.#skipping && this.#rest.length > 0) this.#takeLine(this.#rest, 0, this.#rest.length);
    return [...this.#found.values()];
  }

  /** Returns the offset at which to continue. */
  #takeLine(bytes: Buffer, from: number, end: number): number {
    if (bytes[from] === HASH) {
      this.#skipping = familyAt(bytes, from + HEADER_BYTES, end) === undefined;
      return this.#skipping ? end : end + 1;
    }
    const family = familyAt(bytes, from, end);
    if (family !== undefined) this.#takeSample(family, bytes.toString('utf8', from, end));
    return end + 1;
  }

  #takeSample(family: Family, line: string): void {
    const open = line.indexOf('{');
    const close = line.lastIndexOf('}');
    if (open === -1 || close < open) return;
    const [value = '', time] = line
      .slice(close + 1)
      .trim()
      .split(' ');
    const count = Number(value);
    if (value === '' || !(count >= 0)) return;
    const counters = this.#countersOf(line.slice(open + 1, close));
    if (counters === null) return;
    counters[family] = Math.max(counters[family] ?? 0, count);
    counters.at ??= time === undefined ? null : Number(time);
  }

  /** null for the cgroup of a pod, a system slice or a pause container. */
  #countersOf(labels: string): Counters | null {
    const container = labelOf(labels, 'container');
    if (container === '' || container === 'POD') return null;
    const [namespace, pod, instance] = [labelOf(labels, 'namespace'), labelOf(labels, 'pod'), labelOf(labels, 'id')];
    if (namespace === '' || pod === '') return null;
    const key = `${namespace}/${pod}/${container}/${instance}`;
    let counters = this.#found.get(key);
    if (counters === undefined) {
      if (this.#found.size >= this.#maxContainers) throw new PageTooLarge(`the page has more than ${this.#maxContainers} containers`);
      counters = { namespace, pod, container, instance, at: null, cpuPeriods: null, throttledPeriods: null, oomEvents: null };
      this.#found.set(key, counters);
    }
    return counters;
  }
}

function familyAt(bytes: Buffer, from: number, end: number): Family | undefined {
  const text = bytes.toString('latin1', from, Math.min(end, from + NAME_BYTES));
  const name = /^\w+/.exec(text)?.[0] ?? '';
  return FAMILIES.get(name);
}

/** '' where the label is absent. Names of pods, namespaces, containers and cgroups need no escapes. */
function labelOf(labels: string, name: string): string {
  const label = `${name}="`;
  const start = labels.startsWith(label) ? 0 : labels.indexOf(`,${label}`) + 1;
  if (start === 0 && !labels.startsWith(label)) return '';
  const from = start + label.length;
  const end = labels.indexOf('"', from);
  return end === -1 ? '' : labels.slice(from, end);
}
