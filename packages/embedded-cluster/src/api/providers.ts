// What the API server passes on but does not know itself: usage, logs and kubelet endpoints. The components that simulate the
// nodes implement these; a server without one answers 503 on the paths that need it.

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

/** Answers metrics.k8s.io. What has no measurement yet is left out. Order is the server's concern. */
export interface MetricsProvider {
  nodeMetrics(name?: string): readonly NodeMetrics[];
  podMetrics(namespace?: string, name?: string): readonly PodMetrics[];
}

export interface LogLine {
  readonly at: Instant;
  /** Without the line end. */
  readonly text: string;
}

/** Answers pods/log. Tail, since, timestamps and byte limits are applied by the server. */
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

/** Answers `nodes/{name}/proxy/…` and the kubelets' own ports. */
export interface KubeletProvider {
  /** `path` begins with a slash and has no query. undefined where the node has no kubelet that answers. */
  get(node: string, path: string, query: Readonly<Record<string, string>>): KubeletAnswer | undefined;
}

/** Every provider may be missing: the embedded cluster works without usage and without logs. */
export interface ApiProviders {
  readonly metrics?: MetricsProvider;
  readonly logs?: LogProvider;
  readonly kubelets?: KubeletProvider;
}
