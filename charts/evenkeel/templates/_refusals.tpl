{{/* What the schema cannot say: combinations that would lose data or act twice. */}}
{{- define "evenkeel.refuse" -}}
{{- $replicas := int .Values.controller.replicas -}}
{{- if and (gt $replicas 1) (include "evenkeel.usesSqlite" .) -}}
{{- fail (printf "controller.replicas: %d replicas cannot share SQLite. Keep history in PostgreSQL: put its address (postgres://user:password@host:5432/database) into a Secret and name it with secrets.historyUrl.name, or set controller.replicas to 1." $replicas) -}}
{{- end -}}
{{- if and (gt $replicas 1) (eq (toString (get (default dict .Values.config.controller) "leaderElect")) "false") -}}
{{- fail (printf "config.controller.leaderElect: %d replicas without leader election would all act. Leave it true, or set controller.replicas to 1." $replicas) -}}
{{- end -}}
{{- if regexMatch "^[a-z]+://[^/@]*:[^/@]*@" (include "evenkeel.historyUrl" .) -}}
{{- fail "config.history.url: holds a password, and a ConfigMap is no place for one. Put the address into a Secret and name it with secrets.historyUrl.name." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: name at least one host. The dashboard answers to names that it knows alone, as a guard against DNS rebinding." -}}
{{- end -}}
{{- end -}}
