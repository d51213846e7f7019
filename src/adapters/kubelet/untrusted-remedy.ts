/** What makes kubelets readable whose certificates are not trusted. */
export const UNTRUSTED_REMEDY =
  'set serverTLSBootstrap: true for the kubelets and approve their certificate signing requests, or set kubelet.viaProxy: true';
