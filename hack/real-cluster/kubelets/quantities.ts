import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';

/** Cores of an annotation or a claim; 0 when the text is not a quantity. */
export function parseCpu(text: string): number {
  const parsed = parseCpuMillicores(text);
  return parsed.ok ? parsed.value : 0;
}

/** Bytes of an annotation or a claim; 0 when the text is not a quantity. */
export function parseMemory(text: string): number {
  const parsed = parseMemoryBytes(text);
  return parsed.ok ? parsed.value : 0;
}
