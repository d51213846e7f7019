import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM. */
  readonly caCertificate: string;
  readonly token: string;
  /** Namespace of the context; `default` unless set. */
  readonly namespace?: string;
}

const NAME = 'evenkeel';

/** The text of a kubeconfig with one cluster, one user and one context. */
function kubeconfig({ server, caCertificate, token, namespace }: KubeconfigContent): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster: { server, 'certificate-authority-data': Buffer.from(caCertificate).toString('base64') } }],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': NAME,
  });
}

/** Writes the file atomically and readable by its owner only. Creates the folder. */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  await writeFile(draft, kubeconfig(content), { mode: 0o600 });
  await rename(draft, path);
}
