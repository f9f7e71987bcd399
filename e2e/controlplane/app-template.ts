import type { JsonObject } from '@/lib/kube/json';

/** The fields of a workload that the seeded teams change from one revision to the next. */
export interface TestApp {
  name: string;
  namespace: string;
  /** Repository without tag. */
  image: string;
  tag: string;
  port: number;
  env: Record<string, string>;
  cpu: string;
  memory: string;
  /** Path of the readiness probe; none without. */
  probe?: string;
  args?: string[];
  /** A second container, `name` to image. */
  sidecar?: [name: string, image: string];
  /** Annotations of the pod template. */
  annotations?: Record<string, string>;
}

/** The pod template of an application in the usual form: labels, probes, limits, a config volume. */
export function appTemplate(app: TestApp): JsonObject {
  return {
    metadata: {
      labels: { ...selectorOf(app), 'app.kubernetes.io/part-of': app.namespace },
      ...(app.annotations === undefined ? {} : { annotations: app.annotations }),
    },
    spec: {
      containers: [mainContainer(app), ...sidecarOf(app)],
      volumes: [{ name: 'config', configMap: { name: `${app.name}-config` } }],
      securityContext: { runAsNonRoot: true },
      terminationGracePeriodSeconds: 30,
    },
  };
}

/** Labels that select the pods of an application. */
export function selectorOf(app: { name: string }): Record<string, string> {
  return { 'app.kubernetes.io/name': app.name };
}

function mainContainer(app: TestApp): JsonObject {
  return {
    name: app.name,
    image: `${app.image}:${app.tag}`,
    ...(app.args === undefined ? {} : { args: app.args }),
    ports: [{ name: 'http', containerPort: app.port }],
    env: [
      ...Object.entries(app.env).map(([name, value]) => ({ name, value })),
      { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef: { name: `${app.name}-db`, key: 'password' } } },
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    resources: { requests: { cpu: app.cpu, memory: app.memory }, limits: { memory: app.memory } },
    ...(app.probe === undefined
      ? {}
      : { readinessProbe: { httpGet: { path: app.probe, port: 'http' }, periodSeconds: 5 } }),
    livenessProbe: { httpGet: { path: '/livez', port: 'http' }, initialDelaySeconds: 10 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
  };
}

function sidecarOf({ sidecar }: TestApp): JsonObject[] {
  if (sidecar === undefined) return [];

  return [
    {
      name: sidecar[0],
      image: sidecar[1],
      resources: { requests: { cpu: '50m', memory: '64Mi' } },
      volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
    },
  ];
}
