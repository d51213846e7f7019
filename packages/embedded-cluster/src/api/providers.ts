// Data that the API server passes on: usage, logs and kubelet endpoints. The node simulation implements these; a server without a provider
// answers 503 on its paths.

import type { Bytes, Instant } from '#kube/units';
import type { KubeObject } from './kube-object.ts';

export interface MeasuredUsage {
  /** Rate over the window; metrics.k8s.io prints nanocores. */
  readonly cpuNanocores: number;
  /** Working set. */
  readonly memoryBytes: Bytes;
}

export interface NodeMetrics {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** End of the window. */
  readonly at: Instant;
  readonly windowSeconds: number;
  readonly usage: MeasuredUsage;
}

export interface PodMetrics {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly at: Instant;
  readonly windowSeconds: number;
  readonly containers: readonly { readonly name: string; readonly usage: MeasuredUsage }[];
}

/** Serves metrics.k8s.io. Objects without a measurement are omitted; the server sorts. */
export interface MetricsProvider {
  nodeMetrics(name?: string): readonly NodeMetrics[];
  podMetrics(namespace?: string, name?: string): readonly PodMetrics[];
}

export interface LogLine {
  readonly at: Instant;
  /** Without the line end. */
  readonly text: string;
}

/** Serves pods/log. The server applies tail, since, timestamps and byte limits. */
export interface LogProvider {
  /**
   * Everything one container has written, oldest first; `previous` for its last terminated instance. Throws ApiStatusError
   * when there is nothing to read from (container waiting to start, no previous instance).
   */
  lines(pod: KubeObject, container: string, previous: boolean): readonly LogLine[];
  /** Calls `onLine` for each line written from now on and `onEnd` once when the container ends. Returns the cancel. */
  follow(pod: KubeObject, container: string, onLine: (line: LogLine) => void, onEnd: () => void): () => void;
}

export interface KubeletAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Serves `nodes/{name}/proxy/…` and the kubelets' ports. */
export interface KubeletProvider {
  /** `path` starts with a slash and has no query. undefined when the node has no responding kubelet. */
  get(node: string, path: string, query: Readonly<Record<string, string>>): KubeletAnswer | undefined;
}

/** Every provider may be missing: the embedded cluster works without usage and without logs. */
export interface ApiProviders {
  readonly metrics?: MetricsProvider;
  readonly logs?: LogProvider;
  readonly kubelets?: KubeletProvider;
}
