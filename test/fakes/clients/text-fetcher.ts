import type { KubeletAddress, KubeletFetcher } from '../../../src/adapters/kubelet/kubelet-fetcher.ts';

/** A fetcher whose kubelet pages come from a function. */
export function textFetcher(
  text: (node: KubeletAddress, path: string, signal: AbortSignal, maxBytes: number) => Promise<string>,
): KubeletFetcher {
  const get: KubeletFetcher['get'] = async (...request) => Buffer.from(await text(...request));
  return { get, stream: async (node, path, take, signal, maxBytes) => take(await get(node, path, signal, maxBytes)) };
}
