import type { KubeObject } from '../../api/kube-object.ts';
import type { WireResources } from './pod.ts';

export interface Claim extends KubeObject {
  spec: {
    storageClassName?: string;
    volumeName?: string;
    accessModes?: string[];
    volumeMode?: string;
    resources?: WireResources;
  };
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string>; conditions?: object[] };
}

export interface Volume extends KubeObject {
  spec: {
    capacity?: Record<string, string>;
    accessModes?: string[];
    storageClassName?: string;
    persistentVolumeReclaimPolicy?: string;
    claimRef?: { namespace?: string; name?: string; uid?: string };
  };
  status?: { phase?: string };
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
}
