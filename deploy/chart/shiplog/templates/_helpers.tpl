{{- define "shiplog.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "shiplog.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "shiplog.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "shiplog.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Not those that the Service selects. */}}
{{- define "shiplog.testLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: test
{{- end -}}

{{- define "shiplog.metadata" -}}
name: {{ include "shiplog.fullname" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "shiplog.labels" . | nindent 2 }}
{{- end -}}

{{- define "shiplog.serviceAccountName" -}}
{{- default (ternary (include "shiplog.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "shiplog.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Host of publicUrl, with its port where it has one. */}}
{{- define "shiplog.publicHost" -}}
{{- (urlParse .Values.publicUrl).host -}}
{{- end -}}

{{/* "true" where people are named by a provider or a proxy, and Shiplog acts as them by impersonation. */}}
{{- define "shiplog.impersonates" -}}
{{- if and (has .Values.auth.mode (list "oidc" "proxy-jwt" "proxy-headers")) (eq .Values.auth.credential "impersonate") }}true{{ end -}}
{{- end -}}

{{/* "true" where Shiplog's own account reads the cluster that it runs in. */}}
{{- define "shiplog.readsOwnCluster" -}}
{{- $reads := empty .Values.clusters.entries -}}
{{- range .Values.clusters.entries }}{{ if .source.inCluster }}{{ $reads = true }}{{ end }}{{ end -}}
{{- if $reads }}true{{ end -}}
{{- end -}}

{{/* "true" where the chart renders clusters.yaml. */}}
{{- define "shiplog.hasClustersFile" -}}
{{- with .Values.clusters }}{{ if or .entries .discover.secrets }}true{{ end }}{{ end -}}
{{- end -}}

{{/* "true" where the data volume is a claim. */}}
{{- define "shiplog.hasClaim" -}}
{{- with .Values.persistence }}{{ if and .enabled (eq (int $.Values.replicaCount) 1) }}true{{ end }}{{ end -}}
{{- end -}}

{{/* Fails unless the cluster has the API: (list . "httpRoute.enabled" "gateway.networking.k8s.io/v1/HTTPRoute" "…"). */}}
{{- define "shiplog.requireApi" -}}
{{- $root := index . 0 -}}
{{- if not ($root.Capabilities.APIVersions.Has (index . 2)) -}}
{{- fail (printf "%s needs %s, which this cluster does not have: install %s first. With `helm template`, add --api-versions %s." (index . 1) (index . 2) (index . 3) (index . 2)) -}}
{{- end -}}
{{- end -}}
