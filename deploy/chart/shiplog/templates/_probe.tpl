{{/* Shiplog answers to its own host names only, and a kubelet would send the address of the pod. */}}
{{- define "shiplog.probe" -}}
httpGet:
  path: {{ . }}
  port: http
  httpHeaders:
    - name: Host
      value: localhost
{{- end -}}
