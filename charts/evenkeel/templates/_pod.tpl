{{/* What the restricted Pod Security Standard asks for, and a read-only root besides. */}}
{{- define "evenkeel.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "evenkeel.containerSecurityContext" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Who this pod is, and its share of memory for JavaScript: Node.js sees the container's limit. */}}
{{- define "evenkeel.environment" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: EVENKEEL_POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: NODE_OPTIONS
  value: --max-old-space-size-percentage=75
{{- end -}}
