// Parses the five series of the kubelet's `/metrics/resource` that Evenkeel uses. It runs once a minute for every container of the cluster,
// and a general Prometheus parser would spend most of its time on other series.

import type { ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';

/** Identity of a container, from its series' labels. */
export interface SeriesLabels {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

const CONTAINER_CPU = 'container_cpu_usage_seconds_total{';
const CONTAINER_MEMORY = 'container_memory_working_set_bytes{';
const CONTAINER_START = 'container_start_time_seconds{';
const NODE_CPU = 'node_cpu_usage_seconds_total';
const NODE_MEMORY = 'node_memory_working_set_bytes';
/** Kubernetes limits names of namespaces, pods and containers to 63, 253 and 63 characters. */
const MAX_LABELS_LENGTH = 1024;
const SPACE = 0x20;
const HASH = 0x23;

/** Reads the text in one pass. Lines that are not samples are skipped; values that are not numbers are NaN. */
export function readResourceMetrics(text: string, visitor: ResourceMetricsVisitor): void {
  const { length } = text;
  for (let from = 0; from < length;) {
    let end = text.indexOf('\n', from);
    if (end === -1) end = length;
    if (text.charCodeAt(from) !== HASH) readLine(text, from, end, visitor);
    from = end + 1;
  }
}

function readLine(text: string, from: number, end: number, visitor: ResourceMetricsVisitor): void {
  if (text.startsWith(CONTAINER_CPU, from)) readContainer(text, from + CONTAINER_CPU.length, end, 'cpu', visitor);
  else if (text.startsWith(CONTAINER_MEMORY, from)) readContainer(text, from + CONTAINER_MEMORY.length, end, 'memory', visitor);
  else if (text.startsWith(CONTAINER_START, from)) readContainer(text, from + CONTAINER_START.length, end, 'start', visitor);
  else if (text.startsWith(NODE_CPU, from)) readNode(text, from + NODE_CPU.length, end, 'cpu', visitor);
  else if (text.startsWith(NODE_MEMORY, from)) readNode(text, from + NODE_MEMORY.length, end, 'memory', visitor);
}

function readContainer(text: string, from: number, end: number, what: 'cpu' | 'memory' | 'start', visitor: ResourceMetricsVisitor): void {
  // Names contain no brace, so the last brace of the line ends the labels. Only the line is searched: an unbounded search would scan the
  // whole page.
  const length = text.slice(from, end).lastIndexOf('}');
  if (length === -1 || length > MAX_LABELS_LENGTH) return;
  const close = from + length;
  const start = valueStart(text, close + 1, end);
  if (start === -1) return;
  const labels = text.slice(from, close);
  const stop = valueEnd(text, start, end);
  const value = numberOf(text.slice(start, stop));
  if (what === 'start') visitor.containerStart(labels, value * 1000);
  else if (what === 'cpu') visitor.containerCpuSeconds(labels, value, timeAt(text, stop, end));
  else visitor.containerMemoryBytes(labels, value, timeAt(text, stop, end));
}

function readNode(text: string, from: number, end: number, what: 'cpu' | 'memory', visitor: ResourceMetricsVisitor): void {
  const start = valueStart(text, from, end);
  if (start === -1) return;
  const stop = valueEnd(text, start, end);
  const value = numberOf(text.slice(start, stop));
  if (what === 'cpu') visitor.nodeCpuSeconds(value, timeAt(text, stop, end));
  else visitor.nodeMemoryBytes(value, timeAt(text, stop, end));
}

/** -1 where no space follows: a longer metric name with the same prefix. */
function valueStart(text: string, from: number, end: number): number {
  let start = from;
  while (start < end && text.charCodeAt(start) === SPACE) start++;
  return start === from ? -1 : start;
}

function valueEnd(text: string, start: number, end: number): number {
  const stop = text.indexOf(' ', start);
  return stop === -1 || stop > end ? end : stop;
}

function timeAt(text: string, from: number, end: number): number | null {
  if (from >= end) return null;
  const time = text.slice(from + 1, end).trim();
  return time === '' ? null : Number(time);
}

function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text);
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
