{{/*
The settings file, as YAML: `config`, without what comes from a Secret, and with the names under which the chart makes the
dashboard answer.
*/}}
{{- define "evenkeel.settings" -}}
{{- $settings := deepCopy .Values.config -}}
{{- if .Values.secrets.historyUrl.name -}}
{{- $_ := set $settings "history" (omit (default dict $settings.history) "url") -}}
{{- if not $settings.history }}{{ $settings = omit $settings "history" }}{{ end -}}
{{- end -}}
{{- if .Values.secrets.historyCa.name -}}
{{- $_ := set $settings "history" (merge (dict "caFile" "/etc/evenkeel-history/ca.crt") (default dict $settings.history)) -}}
{{- end -}}
{{- if .Values.secrets.oidcClientSecret.name -}}
{{- $auth := default dict $settings.auth -}}
{{- $oidc := merge (dict "clientSecretFile" "/etc/evenkeel-oidc/client-secret") (default dict $auth.oidc) -}}
{{- $_ := set $settings "auth" (merge (dict "oidc" $oidc) (omit $auth "oidc")) -}}
{{- end -}}
{{/* The controller's own default is the Service name `evenkeel-admission`. */}}
{{- if and (include "evenkeel.admits" .) (ne (include "evenkeel.fullname" .) "evenkeel") -}}
{{- $controller := $settings.controller -}}
{{- $admission := merge (deepCopy $controller.admission) (dict "service" (include "evenkeel.admissionService" .)) -}}
{{- $_ := set $settings "controller" (merge (dict "admission" $admission) (omit $controller "admission")) -}}
{{- end -}}
{{- if .Values.secrets.dashboardTls.name -}}
{{- $tls := dict "certFile" "/etc/evenkeel-tls/tls.crt" "keyFile" "/etc/evenkeel-tls/tls.key" -}}
{{- $_ := set $settings "dashboard" (merge (dict "tls" $tls) (omit (default dict $settings.dashboard) "tls")) -}}
{{- end -}}
{{- $hosts := list -}}
{{- $service := include "evenkeel.fullname" . -}}
{{/* The controller's own defaults are the Service name `evenkeel` and the domain cluster.local. */}}
{{- if or (ne $service "evenkeel") (ne .Values.clusterDomain "cluster.local") -}}
{{- $inNamespace := printf "%s.%s" $service .Release.Namespace -}}
{{- $hosts = list $service $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.%s" $inNamespace .Values.clusterDomain) -}}
{{- end -}}
{{- if .Values.ingress.enabled }}{{ $hosts = concat $hosts .Values.ingress.hosts }}{{ end -}}
{{- if $hosts -}}
{{- $dashboard := default dict $settings.dashboard -}}
{{- $all := concat (default list $dashboard.allowedHosts) $hosts | uniq -}}
{{- $_ := set $settings "dashboard" (merge (dict "allowedHosts" $all) (omit $dashboard "allowedHosts")) -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* `:8081` → 8081. Called with the context, a group, a key and the setting's default. */}}
{{- define "evenkeel.port" -}}
{{- $group := default dict (get .root.Values.config .group) -}}
{{- default .default (get $group .key) | regexFind "[0-9]+$" -}}
{{- end -}}
{{- define "evenkeel.dashboardPort" -}}
{{- include "evenkeel.port" (dict "root" . "group" "dashboard" "key" "addr" "default" ":9090") -}}
{{- end -}}
{{- define "evenkeel.probePort" -}}
{{- include "evenkeel.port" (dict "root" . "group" "controller" "key" "probeAddr" "default" ":8081") -}}
{{- end -}}
{{- define "evenkeel.metricsPort" -}}
{{- include "evenkeel.port" (dict "root" . "group" "controller" "key" "metricsAddr" "default" ":8080") -}}
{{- end -}}

{{- define "evenkeel.historyUrl" -}}
{{- default "" (get (default dict .Values.config.history) "url") -}}
{{- end -}}

{{/* `https://me@[fd00::1]:8443/path` → 8443. Called with a URL and the default port. */}}
{{- define "evenkeel.portOf" -}}
{{- $authority := regexReplaceAll "^[a-z]+://([^/?#]*@)?(\\[[^]]*\\])?" .url "" -}}
{{- regexFind "^[^/?#]*" $authority | regexFind ":[0-9]+$" | trimPrefix ":" | default .default -}}
{{- end -}}

{{/* Port of PostgreSQL, from config.history.url. The chart cannot read the URL in secrets.historyUrl. */}}
{{- define "evenkeel.postgresPort" -}}
{{- if .Values.secrets.historyUrl.name -}}
{{- .Values.networkPolicy.postgresPort -}}
{{- else -}}
{{- include "evenkeel.portOf" (dict "url" (include "evenkeel.historyUrl" .) "default" "5432") -}}
{{- end -}}
{{- end -}}

{{/* "true" if the history is a SQLite file, which one pod at a time writes. */}}
{{- define "evenkeel.usesSqlite" -}}
{{- if and (not .Values.secrets.historyUrl.name) (not (regexMatch "^postgres(ql)?:" (include "evenkeel.historyUrl" .))) -}}true{{- end -}}
{{- end -}}
{{/* "true" if that file is on a volume that outlives the pod. */}}
{{- define "evenkeel.usesClaim" -}}
{{- if and (include "evenkeel.usesSqlite" .) .Values.persistence.enabled -}}true{{- end -}}
{{- end -}}
{{- define "evenkeel.claim" -}}
{{- default (printf "%s-history" (include "evenkeel.fullname" .)) .Values.persistence.existingClaim -}}
{{- end -}}

{{- define "evenkeel.viaProxy" -}}
{{- if get (default dict .Values.config.kubelet) "viaProxy" -}}true{{- end -}}
{{- end -}}
{{/* "true" if kubelets are read directly, with tokens of a separate ServiceAccount. */}}
{{- define "evenkeel.readsKubelets" -}}
{{- if and .Values.rbac.kubelets (not (include "evenkeel.viaProxy" .)) -}}true{{- end -}}
{{- end -}}
{{/* "true" if a webhook sets the requests of new pods. */}}
{{- define "evenkeel.admits" -}}
{{- if get (default dict (get (default dict .Values.config.controller) "admission")) "enabled" -}}true{{- end -}}
{{- end -}}
{{/* "true" if the dashboard answers over HTTPS, with the certificate of a Secret or of extraVolumes. */}}
{{- define "evenkeel.dashboardTls" -}}
{{- $tls := default dict (get (default dict .Values.config.dashboard) "tls") -}}
{{- if or .Values.secrets.dashboardTls.name (get $tls "certFile") -}}true{{- end -}}
{{- end -}}
{{- define "evenkeel.authenticates" -}}
{{- if get (default dict .Values.config.auth) "enabled" -}}true{{- end -}}
{{- end -}}
{{/* The OpenID Connect issuer, if users sign in with it. */}}
{{- define "evenkeel.issuer" -}}
{{- if include "evenkeel.authenticates" . }}{{ default "" (get (default dict (get .Values.config.auth "oidc")) "issuer") }}{{ end -}}
{{- end -}}
{{- define "evenkeel.admissionPort" -}}
{{- default ":9443" (get (default dict (get (default dict .Values.config.controller) "admission")) "addr") | regexFind "[0-9]+$" -}}
{{- end -}}
{{- define "evenkeel.admissionService" -}}
{{- include "evenkeel.fullname" . }}-admission
{{- end -}}
{{/* The setting's default is true. */}}
{{- define "evenkeel.installsCrds" -}}
{{- if ne (toString (get (default dict .Values.config.crds) "install")) "false" -}}true{{- end -}}
{{- end -}}
