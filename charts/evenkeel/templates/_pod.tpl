{{/* The security context of the restricted Pod Security Standard, with a read-only root file system. */}}
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

{{/* The pod's name and namespace. Node.js derives the JavaScript heap from the container's memory limit; the C
     library would keep free memory of each of ten threads apart. */}}
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
  value: --max-old-space-size-percentage=75 --max-semi-space-size=16
- name: MALLOC_ARENA_MAX
  value: "2"
{{- end -}}
