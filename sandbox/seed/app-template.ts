import { type JsonObject } from '@/lib/kube/json';

/** The fields of an app that its team changes from one rollout to the next. */
export interface App {
  readonly namespace: string;
  readonly name: string;
  /** What several workloads with separate versions share: it names their container and what they mount. */
  readonly component?: string;
  /** Repository without tag. */
  readonly image: string;
  readonly tag: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly cpu: string;
  readonly memory: string;
  /** Path of the readiness probe; none without. */
  readonly probe?: string;
  readonly args?: readonly string[];
  /** Whether its password for the database is in a Secret. */
  readonly hasSecret?: boolean;
  /** Name and image of a second container. */
  readonly sidecar?: readonly [name: string, image: string];
  /** Labels of workload and pods in addition to the usual ones. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The pod template of an app, as teams write it. */
export function templateOf(app: App): JsonObject {
  return {
    metadata: { labels: labelsOf(app), ...(app.annotations && { annotations: { ...app.annotations } }) },
    spec: {
      containers: [mainContainer(app), ...sidecarOf(app)],
      volumes: [{ name: 'config', configMap: { name: configOf(app) } }],
      securityContext: { runAsNonRoot: true },
    },
  };
}

/** Labels that select the pods. */
export function selectorOf({ name }: Pick<App, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': name };
}

export function labelsOf(app: App): Record<string, string> {
  return { ...selectorOf(app), 'app.kubernetes.io/part-of': app.namespace, ...app.labels };
}

/** Name of the ConfigMap that the pods mount. */
export function configOf({ name, component = name }: Pick<App, 'name' | 'component'>): string {
  return `${component}-config`;
}

/** Name of the Secret that the pods read. */
export function secretOf({ name }: Pick<App, 'name'>): string {
  return `${name}-db`;
}

function mainContainer(app: App): JsonObject {
  return {
    name: app.component ?? app.name,
    image: `${app.image}:${app.tag}`,
    ...(app.args && { args: [...app.args] }),
    ports: [{ name: 'http', containerPort: app.port }],
    env: [...plainEnv(app), ...secretEnv(app)],
    resources: { requests: { cpu: app.cpu, memory: app.memory }, limits: { memory: app.memory } },
    ...(app.probe !== undefined && {
      readinessProbe: { httpGet: { path: app.probe, port: 'http' }, periodSeconds: 5 },
    }),
    volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
  };
}

function plainEnv({ env }: App): JsonObject[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}

function secretEnv(app: App): JsonObject[] {
  if (app.hasSecret !== true) return [];
  const secretKeyRef = { name: secretOf(app), key: 'password' };
  return [{ name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef } }];
}

function sidecarOf({ sidecar }: App): JsonObject[] {
  if (sidecar === undefined) return [];
  const [name, image] = sidecar;
  return [{ name, image, resources: { requests: { cpu: '50m', memory: '64Mi' } } }];
}
