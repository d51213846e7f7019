// Language runtime of a container and its maximum heap by the pod template. Only the variables and options below are read, and only
// the size is stored, so that secrets in the environment are not copied.

import { GiB, KiB, MiB, type Bytes, type Ratio } from '../units.ts';

/** Maximum heap of a runtime, in bytes or as a share of the limit; one of the two is set. */
export interface ContainerRuntime {
  readonly name: 'JVM' | 'Go' | 'Node.js' | '.NET';
  /** The option that sets it, such as `-Xmx`; `by default` without one. */
  readonly option: string;
  /** Maximum heap. */
  readonly heapBytes: Bytes | null;
  /** Maximum heap as a share of the memory limit at process start; a lower limit takes effect after a restart only. */
  readonly heapShare: Ratio | null;
}

/** Parts of a container template that identify its runtime. */
export interface RuntimeTraces {
  /** Command and arguments. */
  readonly commandLine: readonly string[];
  /** Value of an environment variable; null: not set, or set from a reference. */
  readonly variable: (name: string) => string | null;
  /** Whether the variable is set by a resourceFieldRef, such as `GOMEMLIMIT` from `limits.memory`. */
  readonly isFromLimit: (name: string) => boolean;
  /** Image with registry and tag; empty: unknown. */
  readonly image: string;
}

/** Memory besides the heap: stacks, code, buffers of the runtime. */
const NON_HEAP_SHARE = 0.25;
const MIN_BESIDE_HEAP: Bytes = 128 * MiB;
/** GOMEMLIMIT bounds all memory of the Go runtime, not only its heap. */
const GO_NON_HEAP_SHARE = 0.1;

/** Java variables that are read, by their order relative to the arguments. */
const JAVA_VARIABLES_BEFORE_ARGS = ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', 'JAVA_OPTS'];
const JAVA_VARIABLE_AFTER_ARGS = '_JAVA_OPTIONS';

/** Default heap as a share of the memory limit. */
const DEFAULT_SHARES = { JVM: 0.25, 'Node.js': 0.25, '.NET': 0.75 } as const satisfies Partial<Record<ContainerRuntime['name'], Ratio>>;

const UNITS: Readonly<Record<string, number>> = { '': 1, k: KiB, m: MiB, g: GiB, t: 1024 * GiB };

/** Runtime of a container by its options, otherwise by its program or image; null: unknown. */
export function runtimeOf(traces: RuntimeTraces): ContainerRuntime | null {
  return jvmOf(traces) ?? nodeOf(traces) ?? goOf(traces) ?? dotnetOf(traces) ?? defaultOf(traces);
}

/** A runtime without options sizes its heap by the limit at its start. */
function defaultOf({ commandLine, image }: RuntimeTraces): ContainerRuntime | null {
  const text = commandLine.join(' ');
  const isProgram = (program: string): boolean => new RegExp(String.raw`(?:^|exec |[;&|(]\s*|^\S*/)${program}(?=\s|$)`).test(text);
  const words = imageWords(image);
  const has = (...names: readonly string[]): boolean => names.some((name) => words.all.has(name));
  if (isProgram('java') || has('java', 'jdk', 'jre', 'openjdk', 'temurin')) return shared('JVM', 'by default', DEFAULT_SHARES.JVM);
  // Images of node agents often have `node` in their name, so that only the exact repository counts.
  if (isProgram('node') || words.repository === 'node' || has('nodejs')) return shared('Node.js', 'by default', DEFAULT_SHARES['Node.js']);
  return isProgram('dotnet') || has('dotnet', 'aspnet') ? shared('.NET', 'by default', DEFAULT_SHARES['.NET']) : null;
}

/** Words of an image's path and tag without its registry: `eclipse`, `temurin`, `jre` of `eclipse-temurin:21-jre`. */
function imageWords(image: string): { readonly repository: string; readonly all: ReadonlySet<string> } {
  const [withTag = ''] = image.toLowerCase().split('@');
  const parts = withTag.split('/');
  const path = parts.length > 1 && /[.:]|^localhost$/.test(parts[0] ?? '') ? parts.slice(1) : parts;
  const [repository = ''] = (path.at(-1) ?? '').split(':');
  return { repository, all: new Set(path.join('/').split(/[^a-z]+/)) };
}

/** GOMAXPROCS of the template; null: not set. */
export function goMaxProcsOf({ variable }: RuntimeTraces): number | null {
  const text = variable('GOMAXPROCS') ?? '';
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : null;
}

/** Memory of a runtime with a full heap; null: the heap has no maximum in bytes. */
export function fullHeapNeed({ name, heapBytes }: ContainerRuntime): Bytes | null {
  if (heapBytes === null) return null;
  if (name === 'Go') return Math.ceil(heapBytes * (1 + GO_NON_HEAP_SHARE));
  return Math.ceil(heapBytes + Math.max(heapBytes * NON_HEAP_SHARE, MIN_BESIDE_HEAP));
}

// The JVM uses the last of repeated options, and prefers a size in bytes to a share.
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

// Both variables are hexadecimal.
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
