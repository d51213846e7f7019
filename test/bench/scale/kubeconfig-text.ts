/** A kubeconfig of the played cluster. @param ca path of the authority's certificate */
export function kubeconfigText(ca: string, port: number, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'played', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': ca } }],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'played', context: { cluster: 'played', user: 'bench' } }],
    'current-context': 'played',
  });
}
