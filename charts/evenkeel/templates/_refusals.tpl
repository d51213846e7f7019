{{/* Combinations of values that would lose data or act twice. The schema cannot express them. */}}
{{- define "evenkeel.refuse" -}}
{{- $replicas := int .Values.controller.replicas -}}
{{- if and (gt $replicas 1) (include "evenkeel.usesSqlite" .) -}}
{{- fail (printf "controller.replicas: %d replicas cannot share SQLite. Keep history in PostgreSQL: set config.history.url to postgres://USER@HOST:5432/DATABASE?sslmode=verify-full and name the Secret with the password in secrets.historyPassword.name (or the Secret with the whole URL in secrets.historyUrl.name), or set controller.replicas to 1." $replicas) -}}
{{- end -}}
{{- if eq (toString (get (default dict .Values.config.controller) "leaderElect")) "false" -}}
{{- fail "config.controller.leaderElect: must be true, also with one replica. Without leader election, the old and the new pod both act during a rollout, and an uninstall cannot stop the controller from writing again what it removes." -}}
{{- end -}}
{{- if regexMatch "^[a-z]+://[^:@/?#]*:.*@" (include "evenkeel.historyUrl" .) -}}
{{- fail "config.history.url: contains a password, which does not belong in a ConfigMap. Put the password into a Secret and name it with secrets.historyPassword.name, or put the whole URL into a Secret and name it with secrets.historyUrl.name." -}}
{{- end -}}
{{- if and .Values.secrets.historyPassword.name (include "evenkeel.usesSqlite" .) -}}
{{- fail "secrets.historyPassword.name: SQLite has no password. Set config.history.url to postgres://USER@HOST:5432/DATABASE?sslmode=verify-full." -}}
{{- end -}}
{{- if and (include "evenkeel.usesSqlite" .) (not (regexMatch "^sqlite:(:memory:$|/var/lib/evenkeel/.)" (include "evenkeel.historyUrl" .))) -}}
{{- fail "config.history.url: the pod can only write under /var/lib/evenkeel, where the volume of `persistence` is mounted. Set it to sqlite:/var/lib/evenkeel/evenkeel.sqlite, or to PostgreSQL: postgres://USER@HOST:5432/DATABASE?sslmode=verify-full." -}}
{{- end -}}
{{- if and .Values.rbac.create (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name: name the ServiceAccount to use. Without a name, the permissions of Evenkeel would be granted to `default`, and so to every pod of the namespace without its own ServiceAccount." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: list at least one host. The dashboard only accepts known host names, as a protection against DNS rebinding." -}}
{{- end -}}
{{- end -}}
