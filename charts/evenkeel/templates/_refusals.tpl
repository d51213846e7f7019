{{/* What the schema cannot say: combinations that would lose data or act twice. */}}
{{- define "evenkeel.refuse" -}}
{{- $replicas := int .Values.controller.replicas -}}
{{- if and (gt $replicas 1) (include "evenkeel.usesSqlite" .) -}}
{{- fail (printf "controller.replicas: %d replicas cannot share SQLite. Keep history in PostgreSQL: set config.history.url to postgres://USER@HOST:5432/DATABASE?sslmode=verify-full and name the Secret with the password in secrets.historyPassword.name (or the Secret with the whole address in secrets.historyUrl.name), or set controller.replicas to 1." $replicas) -}}
{{- end -}}
{{- if eq (toString (get (default dict .Values.config.controller) "leaderElect")) "false" -}}
{{- fail "config.controller.leaderElect: leave it true, with one replica, too. Without it both pods act while a new one replaces the old, and an uninstall cannot hold a controller still, which would write again what is being removed." -}}
{{- end -}}
{{- if regexMatch "^[a-z]+://[^:@/?#]*:.*@" (include "evenkeel.historyUrl" .) -}}
{{- fail "config.history.url: holds a password, and a ConfigMap is no place for one. Put the password into a Secret and name it with secrets.historyPassword.name, or the whole address with secrets.historyUrl.name." -}}
{{- end -}}
{{- if and .Values.secrets.historyPassword.name (include "evenkeel.usesSqlite" .) -}}
{{- fail "secrets.historyPassword.name: SQLite has no password. Set config.history.url to postgres://USER@HOST:5432/DATABASE?sslmode=verify-full." -}}
{{- end -}}
{{- if and (include "evenkeel.usesSqlite" .) (not (regexMatch "^sqlite:(:memory:$|/var/lib/evenkeel/.)" (include "evenkeel.historyUrl" .))) -}}
{{- fail "config.history.url: a pod may write under /var/lib/evenkeel alone, where the volume of `persistence` is. Set it to sqlite:/var/lib/evenkeel/evenkeel.sqlite, or to PostgreSQL: postgres://USER@HOST:5432/DATABASE?sslmode=verify-full." -}}
{{- end -}}
{{- if and .Values.rbac.create (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name: name the ServiceAccount to use. Without one Evenkeel's permissions would go to `default`, and so to every pod of the namespace that names no other." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: name at least one host. The dashboard answers to names that it knows alone, as a guard against DNS rebinding." -}}
{{- end -}}
{{- end -}}
