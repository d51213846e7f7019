// The language runtime in a container by its template: how far its heap may grow. Only these few variables and options
// are looked at, and only the size is kept, so that no secret in an environment goes any further.

import { GiB, KiB, MiB, type Bytes, type Ratio } from '../units.ts';

/** How a runtime's heap is bounded; one of the two is known. */
export interface ContainerRuntime {
  readonly name: 'JVM' | 'Go' | 'Node.js' | '.NET';
  /** The option that says so: `-Xmx`; `by default` where none does. */
  readonly option: string;
  /** Greatest heap. */
  readonly heapBytes: Bytes | null;
  /** Greatest heap as a share of the memory limit at the start of the process; a lower limit would need a restart. */
  readonly heapShare: Ratio | null;
}

export interface RuntimeTraces {
  /** Command and arguments. */
  readonly commandLine: readonly string[];
  /** Value of a variable of the environment; null where it is not set, or set from elsewhere. */
  readonly variable: (name: string) => string | null;
  /** Whether the variable is set from a field of the container: `GOMEMLIMIT` from `limits.memory`. */
  readonly isFromLimit: (name: string) => boolean;
  /** With registry and tag; empty where it is not known. */
  readonly image: string;
}

/** Beside the heap: stacks, code, buffers of the runtime itself. */
const BESIDE_HEAP_SHARE = 0.25;
const MIN_BESIDE_HEAP: Bytes = 128 * MiB;
/** GOMEMLIMIT bounds all that Go holds, not its heap alone. */
const BESIDE_GO_SHARE = 0.1;

/** The variables that are ever read. */
const JAVA_VARIABLES_BEFORE_ARGS = ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', 'JAVA_OPTS'];
const JAVA_VARIABLE_AFTER_ARGS = '_JAVA_OPTIONS';

/** Shares of the memory limit that runtimes take without any option. */
const DEFAULT_SHARES = { JVM: 0.25, 'Node.js': 0.25, '.NET': 0.75 } as const satisfies Partial<Record<ContainerRuntime['name'], Ratio>>;

const UNITS: Readonly<Record<string, number>> = { '': 1, k: KiB, m: MiB, g: GiB, t: 1024 * GiB };

/** What is seen of a container's runtime: by its options, else by its program or image; null where nothing is. */
export function runtimeOf(traces: RuntimeTraces): ContainerRuntime | null {
  return jvmOf(traces) ?? nodeOf(traces) ?? goOf(traces) ?? dotnetOf(traces) ?? defaultOf(traces);
}

/** A runtime without options sizes its heap by the limit that it finds at its start. */
function defaultOf({ commandLine, image }: RuntimeTraces): ContainerRuntime | null {
  const text = commandLine.join(' ');
  const runs = (program: string): boolean => new RegExp(String.raw`(?:^|exec |[;&|(]\s*|^\S*/)${program}(?=\s|$)`).test(text);
  const words = imageWords(image);
  const has = (...names: readonly string[]): boolean => names.some((name) => words.all.has(name));
  if (runs('java') || has('java', 'jdk', 'jre', 'openjdk', 'temurin')) return shared('JVM', 'by default', DEFAULT_SHARES.JVM);
  // Many images of node agents have the word `node` in their name.
  if (runs('node') || words.repository === 'node' || has('nodejs')) return shared('Node.js', 'by default', DEFAULT_SHARES['Node.js']);
  return runs('dotnet') || has('dotnet', 'aspnet') ? shared('.NET', 'by default', DEFAULT_SHARES['.NET']) : null;
}

/** The words of an image's path and tag, its registry apart: `eclipse`, `temurin`, `jre` of `eclipse-temurin:21-jre`. */
function imageWords(image: string): { readonly repository: string; readonly all: ReadonlySet<string> } {
  const [withTag = ''] = image.toLowerCase().split('@');
  const parts = withTag.split('/');
  const path = parts.length > 1 && /[.:]|^localhost$/.test(parts[0] ?? '') ? parts.slice(1) : parts;
  const [repository = ''] = (path.at(-1) ?? '').split(':');
  return { repository, all: new Set(path.join('/').split(/[^a-z]+/)) };
}

/** How many CPUs the template lets a Go program use at once; null where it does not say. */
export function goMaxProcsOf({ variable }: RuntimeTraces): number | null {
  const text = variable('GOMAXPROCS') ?? '';
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : null;
}

/** Memory that a runtime with its heap full needs; null where the heap is not bounded in bytes. */
export function fullHeapNeed({ name, heapBytes }: ContainerRuntime): Bytes | null {
  if (heapBytes === null) return null;
  if (name === 'Go') return Math.ceil(heapBytes * (1 + BESIDE_GO_SHARE));
  return Math.ceil(heapBytes + Math.max(heapBytes * BESIDE_HEAP_SHARE, MIN_BESIDE_HEAP));
}

// Of an option given twice the JVM takes the last, and a size in bytes before a share.
function jvmOf({ commandLine, variable }: RuntimeTraces): ContainerRuntime | null {
  const texts = [...JAVA_VARIABLES_BEFORE_ARGS.map(variable), ...commandLine, variable(JAVA_VARIABLE_AFTER_ARGS)];
  const text = texts.filter((one) => one !== null).join(' ');
  const size = lastMatch(text, /(?:^|[\s"'=])(-Xmx|-XX:MaxHeapSize=)(\d+)([kmgt]?)(?![\w.])/gi);
  if (size !== null) return bounded('JVM', size[1] === '-Xmx' ? '-Xmx' : '-XX:MaxHeapSize', Number(size[2]) * unitOf(size[3]));
  const share = lastMatch(text, /(?:^|[\s"'=])-XX:MaxRAMPercentage=(\d+(?:\.\d+)?)/g);
  return share === null ? null : shared('JVM', '-XX:MaxRAMPercentage', Number(share[1]) / 100);
}

function nodeOf({ commandLine, variable }: RuntimeTraces): ContainerRuntime | null {
  const text = [variable('NODE_OPTIONS') ?? '', ...commandLine].join(' ');
  const size = lastMatch(text, /(?:^|[\s"'=])--max[-_]old[-_]space[-_]size[= ](\d+)/g);
  return size === null ? null : bounded('Node.js', '--max-old-space-size', Number(size[1]) * MiB);
}

function goOf({ variable, isFromLimit }: RuntimeTraces): ContainerRuntime | null {
  if (isFromLimit('GOMEMLIMIT')) return shared('Go', 'GOMEMLIMIT', 1);
  const size = /^(\d+)(?:([KMGT])iB|B)?$/.exec(variable('GOMEMLIMIT') ?? '');
  return size === null ? null : bounded('Go', 'GOMEMLIMIT', Number(size[1]) * unitOf(size[2]));
}

// .NET reads both as hexadecimal numbers.
function dotnetOf({ variable }: RuntimeTraces): ContainerRuntime | null {
  const hex = (name: string) => {
    const text = variable(`DOTNET_${name}`) ?? variable(`COMPlus_${name}`) ?? '';
    return /^(0x)?[\da-f]+$/i.test(text) ? parseInt(text, 16) : 0;
  };
  const size = hex('GCHeapHardLimit');
  if (size > 0) return bounded('.NET', 'GCHeapHardLimit', size);
  const percent = hex('GCHeapHardLimitPercent');
  return percent > 0 ? shared('.NET', 'GCHeapHardLimitPercent', percent / 100) : null;
}

function bounded(name: ContainerRuntime['name'], option: string, heapBytes: Bytes): ContainerRuntime | null {
  return heapBytes > 0 && Number.isSafeInteger(heapBytes) ? { name, option, heapBytes, heapShare: null } : null;
}

function shared(name: ContainerRuntime['name'], option: string, heapShare: Ratio): ContainerRuntime | null {
  return heapShare > 0 && heapShare <= 1 ? { name, option, heapBytes: null, heapShare } : null;
}

function unitOf(letter: string | undefined): number {
  return UNITS[(letter ?? '').toLowerCase()] ?? 1;
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  return [...text.matchAll(pattern)].at(-1) ?? null;
}
