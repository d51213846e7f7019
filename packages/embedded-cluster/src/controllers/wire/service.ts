import type { KubeObject } from '../../api/kube-object.ts';

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

export interface Service extends KubeObject {
  spec: {
    type?: string;
    selector?: Record<string, string>;
    ports?: ServicePort[];
    clusterIP?: string;
    clusterIPs?: string[];
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    internalTrafficPolicy?: string;
    sessionAffinity?: string;
    publishNotReadyAddresses?: boolean;
    externalName?: string;
    healthCheckNodePort?: number;
    externalTrafficPolicy?: string;
  };
}
