{{/* Variables that `config` refuses: those with a secret, and those that other values of the chart set. */}}
{{- define "shiplog.secretNames" -}}
DATABASE_URL SHIPLOG_OIDC_CLIENT_SECRET SHIPLOG_PROMETHEUS_URL SHIPLOG_PROXY_SECRET SHIPLOG_SESSION_SECRET SHIPLOG_WEBHOOK_SECRET SHIPLOG_WEBHOOK_URL
{{- end -}}
{{- define "shiplog.ownNames" -}}
PORT SHIPLOG_AUTH SHIPLOG_CLUSTERS SHIPLOG_CONTROLLERS SHIPLOG_CREDENTIAL SHIPLOG_DATA_DIR SHIPLOG_HOST SHIPLOG_LEASE_NAMESPACE SHIPLOG_METRICS_PORT SHIPLOG_NAMESPACES SHIPLOG_OIDC_CLIENT_ID SHIPLOG_OIDC_ISSUER SHIPLOG_PROXY_JWT_AUDIENCE SHIPLOG_PROXY_JWT_ISSUER SHIPLOG_PROXY_JWT_KEYS SHIPLOG_PUBLIC_URL SHIPLOG_READ_ONLY SHIPLOG_TRUSTED_PROXIES SHIPLOG_WATCH_CONFIG SHIPLOG_WRITE_ROLLOUTHISTORY
{{- end -}}

{{/* Environment variables of Shiplog that hold no secret, by name. */}}
{{- define "shiplog.variables" -}}
{{- $all := dict
  "SHIPLOG_HOST" .Values.listenAddress
  "PORT" "8440"
  "SHIPLOG_DATA_DIR" "/data/shiplog"
  "SHIPLOG_AUTH" .Values.auth.mode
-}}
{{- if .Values.metrics.enabled }}{{ $_ := set $all "SHIPLOG_METRICS_PORT" "9440" }}{{ end -}}
{{- with .Values.publicUrl }}{{ $_ := set $all "SHIPLOG_PUBLIC_URL" . }}{{ end -}}
{{- with .Values.namespaces }}{{ $_ := set $all "SHIPLOG_NAMESPACES" (join "," .) }}{{ end -}}
{{- if .Values.readOnly }}{{ $_ := set $all "SHIPLOG_READ_ONLY" "1" }}{{ end -}}
{{- if include "shiplog.hasClustersFile" . }}{{ $_ := set $all "SHIPLOG_CLUSTERS" "/etc/shiplog/clusters/clusters.yaml" }}{{ end -}}
{{- with .Values.auth -}}
{{- if has .mode (list "oidc" "proxy-jwt" "proxy-headers") }}{{ $_ := set $all "SHIPLOG_CREDENTIAL" .credential }}{{ end -}}
{{- if eq .mode "oidc" -}}
{{- $_ := set $all "SHIPLOG_OIDC_ISSUER" .oidc.issuer -}}
{{- $_ := set $all "SHIPLOG_OIDC_CLIENT_ID" .oidc.clientId -}}
{{- else if eq .mode "proxy-jwt" -}}
{{- $_ := set $all "SHIPLOG_PROXY_JWT_ISSUER" .proxyJwt.issuer -}}
{{- $_ := set $all "SHIPLOG_PROXY_JWT_AUDIENCE" .proxyJwt.audience -}}
{{- $_ := set $all "SHIPLOG_PROXY_JWT_KEYS" .proxyJwt.keysUrl -}}
{{- end -}}
{{- with .proxyHeaders.trustedProxies }}{{ $_ := set $all "SHIPLOG_TRUSTED_PROXIES" (join "," .) }}{{ end -}}
{{- end -}}
{{- with .Values.features -}}
{{- if .watchConfig }}{{ $_ := set $all "SHIPLOG_WATCH_CONFIG" "1" }}{{ end -}}
{{- if .writeRolloutHistory }}{{ $_ := set $all "SHIPLOG_WRITE_ROLLOUTHISTORY" "1" }}{{ end -}}
{{- if .oamRollout -}}
{{- $_ := set $all "SHIPLOG_CONTROLLERS" "oam-rollout" -}}
{{- $_ := set $all "SHIPLOG_LEASE_NAMESPACE" $.Release.Namespace -}}
{{- end -}}
{{- end -}}
{{- toYaml (merge (deepCopy .Values.config) $all) -}}
{{- end -}}

{{/* Those with a secret, each only by reference: name of the variable → the value of the chart. */}}
{{- define "shiplog.secretVariables" -}}
{{- $all := dict "DATABASE_URL" .Values.database -}}
{{- with .Values.auth -}}
{{- $_ := set $all "SHIPLOG_SESSION_SECRET" .sessionSecret -}}
{{- if eq .mode "oidc" }}{{ $_ := set $all "SHIPLOG_OIDC_CLIENT_SECRET" .oidc.clientSecret }}{{ end -}}
{{- if eq .mode "proxy-headers" }}{{ $_ := set $all "SHIPLOG_PROXY_SECRET" .proxyHeaders.secret }}{{ end -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{- define "shiplog.env" -}}
{{- range $name, $value := include "shiplog.variables" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $reference := include "shiplog.secretVariables" . | fromYaml }}
{{- if $reference.existingSecret }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $reference.existingSecret }}
      key: {{ $reference.key }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What to do with a secret instead. */}}
{{- define "shiplog.secretAdvice" -}}
{{- $values := dict
  "DATABASE_URL" "database.existingSecret"
  "SHIPLOG_SESSION_SECRET" "auth.sessionSecret.existingSecret"
  "SHIPLOG_OIDC_CLIENT_SECRET" "auth.oidc.clientSecret.existingSecret"
  "SHIPLOG_PROXY_SECRET" "auth.proxyHeaders.secret.existingSecret"
-}}
{{- with get $values . -}}
put it into a Secret, and name that in {{ . }}.
{{- else -}}
put it into a Secret, and add {name: {{ . }}, valueFrom: {secretKeyRef: {name: …, key: …}}} to extraEnv.
{{- end -}}
{{- end -}}
