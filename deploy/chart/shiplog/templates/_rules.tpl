{{/*
Rules of a role of deploy/rbac, which `npm run docs:chart` copies to rbac/: (dict "root" . "role" "read-only" "part" …).
The part is "all", or only the resources that are "namespaced", or only those of the whole "cluster".
*/}}
{{- define "shiplog.rules" -}}
{{- $ofCluster := list "namespaces" "nodes" "subjectaccessreviews" "users" "groups" "selfsubjectreviews" "validatingadmissionpolicies" "validatingadmissionpolicybindings" "priorityclasses" "runtimeclasses" "storageclasses" "volumeattributesclasses" "clustertrustbundles" -}}
{{- /* Shiplog follows them only where it reads the whole cluster. */ -}}
{{- $followed := list "clusterroles" "clusterrolebindings" -}}
{{- $part := .part -}}
{{- $first := regexSplit "\n---\n" (.root.Files.Get (printf "rbac/%s.yaml" .role)) -1 | first | fromYaml -}}
{{- range $rule := $first.rules -}}
{{- $resources := list -}}
{{- range $rule.resources -}}
{{- if or (eq $part "all") (and (not (has . $followed)) (eq (has . $ofCluster) (eq $part "cluster"))) }}{{ $resources = append $resources . }}{{ end -}}
{{- end -}}
{{- if $resources }}
- {{ toYaml (set (deepCopy $rule) "resources" $resources) | nindent 2 | trim }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A role, and its binding to Shiplog's account where "bound" is true: root, role, kind, namespace, part, bound. */}}
{{- define "shiplog.role" -}}
{{- $name := printf "%s-%s" (include "shiplog.fullname" .root) .role }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  name: {{ $name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "shiplog.labels" .root | nindent 4 }}
rules:
  {{- if .rules }}
  {{- .rules | nindent 2 }}
  {{- else }}
  {{- include "shiplog.rules" (dict "root" .root "role" .role "part" .part) | trim | nindent 2 }}
  {{- end }}
{{- if .bound }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ $name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "shiplog.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "shiplog.serviceAccountName" .root }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}
{{- end -}}

{{- define "shiplog.legacyImpersonationRules" -}}
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
- apiGroups: ['']
  resources: [users, groups]
  verbs: [impersonate]
{{- end -}}

{{/* The Secrets that clusters.yaml names; with discovery every one, since no right can be limited to a label. */}}
{{- define "shiplog.clusterSecretRules" -}}
{{- if .Values.clusters.discover.secrets -}}
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, list]
{{- else -}}
{{- $names := list -}}
{{- range .Values.clusters.entries }}{{ with .source.secret }}{{ $names = append $names .name }}{{ end }}{{ end -}}
{{- if $names -}}
- apiGroups: ['']
  resources: [secrets]
  resourceNames: {{ toJson $names }}
  verbs: [get]
{{- end -}}
{{- end -}}
{{- end -}}
