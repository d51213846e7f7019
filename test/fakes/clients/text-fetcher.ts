import type { KubeletFetcher } from '../../../src/adapters/kubelet/kubelet-fetcher.ts';

/** A fetcher whose kubelet pages come from a function. */
export function textFetcher(get: KubeletFetcher['get']): KubeletFetcher {
  return { get, stream: async (node, path, take, signal, maxBytes) => take(Buffer.from(await get(node, path, signal, maxBytes))) };
}
