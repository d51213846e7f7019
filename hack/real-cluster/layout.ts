// A cluster on disk: its processes and ports. The record is written before a process starts, so that the next command can clean up after
// one that was killed.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from './daemons.ts';
import { clusterFolder } from './folders.ts';

/** In the order of their start. */
export const COMPONENTS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kubelets',
  'prometheus',
] as const;
export type Component = (typeof COMPONENTS)[number];

const PORTS = ['etcd', 'etcdPeer', 'apiserver', 'controllerManager', 'scheduler', 'kwok', 'kubelet', 'prometheus'] as const;
export type Ports = Readonly<Record<(typeof PORTS)[number], number>>;

export interface ClusterRecord {
  readonly ports: Ports;
  readonly binaries: { readonly controlplane: string; readonly kwok: string };
  readonly processes: Partial<Record<Component, ProcessIdentity>>;
  /** Whether `up` completed. */
  readonly ready: boolean;
}

/** Paths of a cluster's files, and its record. */
export class Layout {
  readonly name: string;
  readonly folder: string;

  constructor(name: string) {
    this.name = name;
    this.folder = clusterFolder(name);
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  get certificates(): string {
    return this.path('certificates');
  }

  certificate(name: string): string {
    return this.path('certificates', `${name}.crt`);
  }

  key(name: string): string {
    return this.path('certificates', `${name}.key`);
  }

  /** Kubeconfig of the administrator. */
  get kubeconfig(): string {
    return this.path('kubeconfig');
  }

  kubeconfigOf(user: string): string {
    return this.path('certificates', `${user}.kubeconfig`);
  }

  get auditLog(): string {
    return this.path('audit.log');
  }

  log(component: Component): string {
    return this.path(`${component}.log`);
  }

  /** File of additional scrape targets; Prometheus reloads it when it changes. */
  get scrapeTargets(): string {
    return this.path('scrape-targets.json');
  }

  /** File of kwok's page of each node as scrape targets. */
  get nodeTargets(): string {
    return this.path('node-targets.json');
  }

  get #recordFile(): string {
    return this.path('cluster.json');
  }

  /** The record; null when the cluster does not exist. */
  read(): ClusterRecord | null {
    try {
      return JSON.parse(readFileSync(this.#recordFile, 'utf8')) as ClusterRecord;
    } catch (err) {
      // Not checked beforehand, because another process may remove the cluster in between.
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw err;
    }
  }

  write(record: ClusterRecord): void {
    const next = `${this.#recordFile}.${process.pid}`;
    writeFileSync(next, JSON.stringify(record, null, 2));
    renameSync(next, this.#recordFile);
  }
}

export function namePorts(ports: readonly number[]): Ports {
  return Object.fromEntries(PORTS.map((name, index) => [name, ports[index]])) as Ports;
}

export const PORT_COUNT = PORTS.length;
