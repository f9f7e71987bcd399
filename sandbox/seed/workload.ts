import type { ActionName } from '@/lib/api/action-values';
import type { JsonObject } from '@/lib/kube/json';

/** A user with a tool: the user of the request and the field manager that the API server records. */
export interface SeedActor {
  readonly user: string;
  readonly manager: string;
  /** Writes the whole workload by server-side apply. */
  readonly applies?: true;
  /** Acts through Shiplog, which writes for the user. */
  readonly shiplog?: ShiplogAct;
}

/** An action through Shiplog. */
interface ShiplogAct {
  readonly action: ActionName;
  readonly reason: string;
}

/** Time before the end of the seeded history, largest unit first: `12d4h`, `26m`, `1h5m30s`. */
export type Ago = string;

/** A request to the API server about anything but pods. */
export type SeedRequest =
  | { readonly do: 'create'; readonly object: SeedObject }
  | { readonly do: 'apply'; readonly object: SeedObject }
  | {
      readonly do: 'patch';
      readonly path: string;
      readonly patch: JsonObject;
      /** A merge patch replaces lists, a strategic one merges them. */
      readonly type: 'merge' | 'strategic-merge';
    }
  | { readonly do: 'delete'; readonly path: string };

/** One action of a user on a workload. */
export type SeedAction = { readonly ago: Ago; readonly by: SeedActor } & (
  | SeedVersion
  /** A rollback to the template of the version with that number, counted from 0, the creation. */
  | { readonly do: 'undo'; readonly to: number }
  | { readonly do: 'restart' }
  /** A merge patch of the workload without the template: replicas, partition, pause; or of its status. */
  | { readonly do: 'merge'; readonly patch: { readonly spec: JsonObject } | { readonly status: JsonObject } }
  /** Deletes so many pods, in the order of their nodes. */
  | { readonly do: 'deletePods'; readonly count: number }
  /** About an object that refers to the workload. */
  | SeedRequest
);

/** A new version, the first of which creates the workload. */
export interface SeedVersion {
  readonly do: 'ship';
  readonly change: SeedChange;
  /** The change cause; without one the previous one stays. */
  readonly cause: string | undefined;
  /** More of the workload's spec, as a merge patch. */
  readonly spec?: JsonObject | undefined;
  /** Labels of the workload that its pods do not get. */
  readonly labels?: Readonly<Record<string, string>>;
}

export type SeedKind = keyof typeof TYPES;

export interface WorkloadSeed {
  readonly kind: SeedKind;
  /** At the creation. */
  readonly app: App;
  /** Who creates it. */
  readonly by: SeedActor;
  /** Not for a DaemonSet; of a LeaderWorkerSet its groups. */
  readonly replicas?: number;
  /** Pods of each group of a LeaderWorkerSet. */
  readonly groupSize?: number;
  /** More of the spec at the creation. */
  readonly spec?: JsonObject;
  /** Objects that must exist before it. */
  readonly prerequisites?: readonly SeedObject[];
  /** Oldest first; the first is the creation. */
  readonly story: readonly SeedAction[];
  /** Whether it may be updated, scaled and restarted by background activity. */
  readonly isLively?: boolean;
}

export const TYPES = {
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  StatefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  DaemonSet: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  CloneSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' },
  AdvancedStatefulSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' },
  AdvancedDaemonSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet' },
  LeaderWorkerSet: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' },
  ArgoRollout: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
} as const;

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
  /** Path of the readiness probe. */
  readonly probe: string;
  readonly args?: readonly string[];
  /** Whether its password for the database is in a Secret. */
  readonly hasSecret?: boolean;
  /** Name and image of a second container. */
  readonly sidecar?: readonly [name: string, image: string];
  /** Labels of workload and pods in addition to the usual ones. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Of the environment what changes; an undefined variable is removed. */
export type SeedChange = Partial<Omit<App, 'env'>> & {
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export function changeApp(app: App, change: SeedChange): App {
  const env = Object.entries({ ...app.env, ...change.env }).filter(([, value]) => value !== undefined);
  return { ...app, ...change, env: Object.fromEntries(env) as App['env'] };
}

/** The pod template of an app, as teams write it. */
export function templateOf(app: App): JsonObject {
  const main: JsonObject = {
    name: app.component ?? app.name,
    image: `${app.image}:${app.tag}`,
    args: app.args && [...app.args],
    ports: [{ name: 'http', containerPort: app.port }],
    env: Object.entries(app.env).map(([name, value]) => ({ name, value })),
    resources: { requests: { cpu: app.cpu, memory: app.memory }, limits: { memory: app.memory } },
    readinessProbe: { httpGet: { path: app.probe, port: 'http' }, periodSeconds: 5 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
  };
  const containers = [main];
  if (app.hasSecret) {
    const secretKeyRef = { name: secretOf(app), key: 'password' };
    main.env = [...(main.env as JsonObject[]), { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef } }];
  }
  if (app.sidecar !== undefined) {
    const [name, image] = app.sidecar;
    containers.push({ name, image, resources: { requests: { cpu: '50m', memory: '64Mi' } } });
  }
  return {
    metadata: { labels: labelsOf(app) },
    spec: {
      containers,
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

export interface SeedObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string> } & JsonObject;
}

/** The manifest of an object; `place` is its name, with its namespace before a slash. */
export function manifest(
  apiVersion: string,
  kind: string,
  place: string,
  members: JsonObject,
  labels?: Record<string, string>,
): SeedObject {
  const [name = '', namespace] = place.split('/').reverse();
  return { apiVersion, kind, metadata: { name, namespace, labels }, ...members };
}

/** Path of the collection that an object is in. */
export function collectionOf({ apiVersion, kind, metadata }: SeedObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = kind.toLowerCase().replace(/y$/, 'ie').replace(/s$/, 'se') + 's';
  return metadata.namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${metadata.namespace}/${plural}`;
}

/** Path of an object. */
export function pathOf(object: SeedObject): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}

/** A Service of that name and place; the labels select the pods. */
export function serviceOf(place: string, labels: Record<string, string>): SeedObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return manifest('v1', 'Service', place, { spec: { selector: labels, ports } }, labels);
}
