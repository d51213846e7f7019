import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';

/** Of an annotation or a claim; nothing where a person wrote what is no quantity. */
export function parseCpu(text: string): number {
  const parsed = parseCpuMillicores(text);
  return parsed.ok ? parsed.value : 0;
}

export function parseMemory(text: string): number {
  const parsed = parseMemoryBytes(text);
  return parsed.ok ? parsed.value : 0;
}
