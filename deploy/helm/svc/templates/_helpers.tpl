{{/* The release's name, with the chart's where it isn't in it; short enough for what is appended. */}}
{{- define "svc.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc.secret" -}}
{{ .Values.secrets.existingSecret | default (include "svc.fullname" .) }}
{{- end }}

{{/* Where the control plane finds its database's URL. */}}
{{- define "svc.databaseUrl" -}}
{{- with .Values.database.existingSecret }}
{{- if .name }}
name: {{ .name }}
key: {{ .key }}
{{- else }}
name: {{ include "svc.fullname" $ }}-database-app
key: uri
{{- end }}
{{- end }}
{{- end }}

{{- define "svc.agentKeySecret" -}}
{{- if .Values.agent.existingSecret }}{{ .Values.agent.existingSecret }}
{{- else if .Values.controlPlane.enabled }}{{ include "svc.secret" . }}
{{- else }}{{ fail "agent.existingSecret: name the Secret with the runner key (key runner-key): the control plane is not of this release" }}{{ end }}
{{- end }}

{{- define "svc.controlPlaneUrl" -}}
{{- if .Values.agent.controlPlaneUrl }}{{ .Values.agent.controlPlaneUrl }}
{{- else if .Values.controlPlane.enabled }}{{ printf "http%s://%s-runners:8081" (ternary "s" "" (ne .Values.controlPlane.runnerTlsSecret "")) (include "svc.fullname" .) }}
{{- else }}{{ fail "agent.controlPlaneUrl: name the control plane, which is not of this release, such as https://svc.example.com:8081" }}{{ end }}
{{- end }}

{{- define "svc.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The settings that values name, as environment. */}}
{{- define "svc.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ if kindIs "float64" $value }}{{ printf "%.0f" $value | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- end }}

{{- define "svc.powerless" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "svc.account" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
{{- end }}
