// Starts the played API server and kubelets as processes, with their certificates, and the kubeconfig of the controller.

import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signServing, writeCertificates } from '../../../hack/real-cluster/certificates.ts';
import { freePorts } from '../../e2e/free-ports.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { BLOCK, nodeAddress } from './played/cluster-plan.ts';
import type { FromApiServer, FromKubelets, KubeletsConfiguration, ToApiServer, ToKubelets } from './played/messages.ts';
import type { ServingCertificate } from './played/api-server.ts';
import type { Counts } from './played/request-counts.ts';

const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=8192'];

/** Certificates and tokens of one played cluster. */
export interface Identities {
  readonly folder: string;
  readonly token: string;
  readonly kubeletToken: string;
  readonly kubeletPort: number;
}

export async function createIdentities(folder: string): Promise<Identities> {
  await writeCertificates(folder);
  const [kubeletPort = 0] = await freePorts(1);
  const token = randomBytes(16).toString('hex');
  return { folder, token, kubeletToken: randomBytes(16).toString('hex'), kubeletPort };
}

/** Messages to and from one process. */
class Peer<To, From extends { readonly type: string }> {
  readonly #child: ChildProcess;

  constructor(script: string) {
    this.#child = fork(join(import.meta.dirname, script), { execArgv: FLAGS });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(message: To): void {
    this.#child.send(message as object);
  }

  /** Sends a message and resolves with the next one of a type. Rejects where the process ends. */
  ask<Type extends From['type']>(message: To, type: Type): Promise<Extract<From, { readonly type: Type }>> {
    return new Promise((resolve, reject) => {
      const take = (answer: From): void => {
        if (answer.type !== type) return;
        this.#child.off('message', take);
        this.#child.off('exit', fail);
        resolve(answer as Extract<From, { readonly type: Type }>);
      };
      const fail = (): void => reject(new Error(`a played process ended instead of answering with ${type}`));
      this.#child.on('message', take);
      this.#child.once('exit', fail);
      this.send(message);
    });
  }

  on(take: (message: From) => void): void {
    this.#child.on('message', take);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

export interface PlayedCounts {
  readonly counts: Counts;
  readonly events: number;
  readonly objects: Counts;
  readonly kubelets: Counts;
  readonly longestRenewalGapMs: number;
}

export class PlayedProcesses {
  readonly kubeconfig: string;
  /** Folder with the ServiceAccount of the controller, as kubelets mount it. */
  readonly serviceAccount: string;
  readonly apiServerPort: number;
  readonly kubeletPort: number;
  readonly #api: Peer<ToApiServer, FromApiServer>;
  readonly #kubelets: Peer<ToKubelets, FromKubelets> | null;

  private constructor(
    { folder, token, kubeletPort }: Identities,
    port: number,
    api: Peer<ToApiServer, FromApiServer>,
    kubelets: Peer<ToKubelets, FromKubelets> | null,
  ) {
    this.kubeconfig = join(folder, 'kubeconfig');
    this.serviceAccount = join(folder, 'serviceaccount');
    this.apiServerPort = port;
    this.kubeletPort = kubeletPort;
    this.#api = api;
    this.#kubelets = kubelets;
    writeFileSync(this.kubeconfig, kubeconfigText(join(folder, 'ca.crt'), port, token), { mode: 0o600 });
    mkdirSync(this.serviceAccount, { recursive: true });
    copyFileSync(join(folder, 'ca.crt'), join(this.serviceAccount, 'ca.crt'));
    writeFileSync(join(this.serviceAccount, 'token'), token, { mode: 0o600 });
    writeFileSync(join(this.serviceAccount, 'namespace'), 'evenkeel-system');
    api.on((message) => {
      if (message.type === 'pods') kubelets?.send(message);
    });
  }

  /** @param withPods false: a cluster of the same workloads, whose nodes run no pods and have no kubelets */
  static async start(nodes: number, identities: Identities, withPods: boolean): Promise<PlayedProcesses> {
    const { folder, token, kubeletToken } = identities;
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const tls: ServingCertificate = { key: read('apiserver.key'), cert: read('apiserver.crt') };
    const api = new Peer<ToApiServer, FromApiServer>('played/api-server-process.ts');
    const kubelets = withPods ? new Peer<ToKubelets, FromKubelets>('played/kubelets-process.ts') : null;
    try {
      const configuration = { nodes, withPods, tls, credentials: { token, kubeletToken } };
      const { port } = await api.ask({ type: 'configure', configuration }, 'listening');
      if (kubelets !== null) {
        await kubelets.ask({ type: 'configure', configuration: await kubeletsConfiguration(nodes, identities) }, 'listening');
      }
      return new PlayedProcesses(identities, port, api, kubelets);
    } catch (err) {
      api.end();
      kubelets?.end();
      throw err;
    }
  }

  get pids(): Readonly<Record<string, number>> {
    return { apiServer: this.#api.pid, ...(this.#kubelets === null ? {} : { kubelets: this.#kubelets.pid }) };
  }

  setLoad(on: boolean): void {
    this.#api.send({ type: 'load', on });
  }

  mark(index: number, mark: string): Promise<{ readonly node: string; readonly atMs: number }> {
    return this.#api.ask({ type: 'mark', index, mark }, 'marked');
  }

  async counts(): Promise<PlayedCounts> {
    const { type: _type, ...ofApiServer } = await this.#api.ask({ type: 'count' }, 'counts');
    const kubelets = this.#kubelets === null ? {} : (await this.#kubelets.ask({ type: 'count' }, 'counts')).counts;
    return { ...ofApiServer, kubelets };
  }

  end(): void {
    this.#api.end();
    this.#kubelets?.end();
  }
}

async function kubeletsConfiguration(nodes: number, { folder, kubeletPort, kubeletToken }: Identities): Promise<KubeletsConfiguration> {
  const authority = { key: readFileSync(join(folder, 'ca.key'), 'utf8'), certificate: readFileSync(join(folder, 'ca.crt'), 'utf8') };
  const certificates: ServingCertificate[] = [];
  for (let first = 0; first < nodes; first += BLOCK) {
    const addresses = Array.from({ length: Math.min(BLOCK, nodes - first) }, (_, index) => nodeAddress(first + index));
    const { key, certificate } = await signServing(authority, `system:node:block-${first}`, ['played-kubelets'], addresses);
    certificates.push({ key, cert: certificate });
  }
  return { nodes, port: kubeletPort, token: kubeletToken, certificates };
}
