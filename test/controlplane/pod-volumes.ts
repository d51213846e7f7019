// Volumes of a pod as folders, and its environment, from the objects that it references, with its bound token.

import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RawApi } from '../../hack/real-cluster/api.ts';
import { fieldOf, type Container, type EnvironmentVariable, type PodWire, type ProjectedSource, type Volume } from './pod-wire.ts';

/** User of the container image. */
const DEFAULT_USER = 65_532;

/** Writes the volumes of one pod. */
export class PodVolumes {
  readonly #api: RawApi;
  readonly #pod: PodWire;
  readonly #address: string;
  readonly #folder: string;
  readonly #claims: string;
  readonly #owner: number;

  /** @param claims parent folder of PersistentVolumeClaims, which outlive pods */
  constructor(api: RawApi, pod: PodWire, address: string, folder: string, claims: string) {
    this.#api = api;
    this.#pod = pod;
    this.#address = address;
    this.#folder = folder;
    this.#claims = claims;
    this.#owner = pod.spec.securityContext?.fsGroup ?? userOf(pod);
  }

  /** Writes all volumes. Returns their folders by volume name. */
  async write(): Promise<ReadonlyMap<string, string>> {
    const folders = new Map<string, string>();
    for (const volume of this.#pod.spec.volumes ?? []) folders.set(volume.name, await this.#write(volume));
    return folders;
  }

  async environmentOf(container: Container): Promise<Readonly<Record<string, string>>> {
    const environment: Record<string, string> = {};
    for (const variable of container.env ?? []) {
      const value = await this.#valueOf(variable);
      // $(NAME) refers to a variable defined before, as a kubelet expands it.
      environment[variable.name] = value.replaceAll(/\$\(([\w.-]+)\)/g, (match, name: string) => environment[name] ?? match);
    }
    return environment;
  }

  async #write(volume: Volume): Promise<string> {
    const folder =
      volume.persistentVolumeClaim === undefined
        ? join(this.#folder, volume.name)
        : join(this.#claims, volume.persistentVolumeClaim.claimName);
    this.#makeFolder(folder);
    if (volume.configMap !== undefined) this.#writeFiles(folder, (await this.#configMap(volume.configMap.name)) ?? {});
    else if (volume.secret !== undefined) this.#writeFiles(folder, (await this.#secret(volume.secret.secretName)) ?? {});
    else if (volume.projected !== undefined)
      for (const source of volume.projected.sources) this.#writeFiles(folder, await this.#projected(source));
    else if (volume.emptyDir === undefined && volume.persistentVolumeClaim === undefined)
      throw new Error(`pod ${this.#pod.metadata.name}: the pod runner does not support the volume ${JSON.stringify(volume)}`);
    return folder;
  }

  async #projected(source: ProjectedSource): Promise<Readonly<Record<string, string>>> {
    const { serviceAccountToken, configMap, downwardAPI } = source;
    if (serviceAccountToken !== undefined) return { [serviceAccountToken.path]: await this.#token(serviceAccountToken) };
    if (configMap !== undefined) {
      const data = (await this.#configMap(configMap.name)) ?? {};
      const items = configMap.items ?? Object.keys(data).map((key) => ({ key, path: key }));
      return Object.fromEntries(items.map(({ key, path }) => [path, data[key] ?? '']));
    }
    const fields = downwardAPI?.items ?? [];
    return Object.fromEntries(fields.map(({ path, fieldRef }) => [path, fieldOf(this.#pod, fieldRef.fieldPath, this.#address)]));
  }

  /** A token bound to the pod, as a kubelet requests it: it expires with the pod. */
  async #token({ expirationSeconds = 3600, audience }: NonNullable<ProjectedSource['serviceAccountToken']>): Promise<string> {
    const { namespace, name, uid } = this.#pod.metadata;
    const account = this.#pod.spec.serviceAccountName ?? 'default';
    const { status } = await this.#api.expect<{ readonly status: { readonly token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          expirationSeconds,
          ...(audience === undefined ? {} : { audiences: [audience] }),
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    });
    return status.token;
  }

  async #valueOf({ name, value, valueFrom }: EnvironmentVariable): Promise<string> {
    if (valueFrom?.fieldRef !== undefined) return fieldOf(this.#pod, valueFrom.fieldRef.fieldPath, this.#address);
    const ref = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef;
    if (ref === undefined) return value ?? '';
    const data = valueFrom?.secretKeyRef === undefined ? await this.#configMap(ref.name) : await this.#secret(ref.name);
    const found = data?.[ref.key];
    if (found === undefined && ref.optional !== true) throw new Error(`${name}: no key ${ref.key} in ${ref.name}`);
    return found ?? '';
  }

  async #configMap(name: string): Promise<Readonly<Record<string, string>> | undefined> {
    return this.#data('configmaps', name, (value) => value);
  }

  async #secret(name: string): Promise<Readonly<Record<string, string>> | undefined> {
    return this.#data('secrets', name, (value) => Buffer.from(value, 'base64').toString('utf8'));
  }

  async #data(plural: string, name: string, decode: (value: string) => string): Promise<Readonly<Record<string, string>> | undefined> {
    const answer = await this.#api.request({ path: `/api/v1/namespaces/${this.#pod.metadata.namespace}/${plural}/${name}` });
    if (answer.status !== 200) return undefined;
    const { data = {} } = answer.body as { readonly data?: Readonly<Record<string, string>> };
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
  }

  #makeFolder(folder: string): void {
    mkdirSync(folder, { recursive: true });
    // Changes the owner of all files, as a kubelet does for fsGroup: another user may have written the claim.
    for (const path of [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))])
      chownSync(path, this.#owner, this.#owner);
    chmodSync(folder, 0o770);
  }

  #writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o640 });
      chownSync(path, this.#owner, this.#owner);
    }
  }
}

/** User id of the pod's processes: never root, whatever user runs the tests. */
export function userOf({ spec }: PodWire): number {
  return spec.containers[0]?.securityContext?.runAsUser ?? spec.securityContext?.runAsUser ?? DEFAULT_USER;
}
