import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import type { Workload } from '@/lib/history/workload';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { resourcePath } from '@/lib/kube/resource';
import { textAt } from '@/lib/kube/read';
import { deploysTo, listsObject } from '@/lib/owners/argo';
import {
  type Marked,
  type Owner,
  type OwnerReading,
  type Parent,
  type Reading,
  unread,
} from '@/lib/owners/owner';
import { ownersOf } from '@/lib/owners/owners-of';
import { followParents } from '@/lib/owners/parents';
import type { Cluster } from '@/server/cluster/cluster';
import { accessKeyOf, type Viewer } from '@/server/shared/viewer';

/** A cluster with the viewer as it knows them. */
export interface Hub {
  cluster: Pick<Cluster, 'transportFor' | 'argocd'>;
  viewer: Viewer;
}

/** As whom and where owners are read. A page waits less than a dialog; what takes longer is unknown. */
export interface OwnerReader extends Hub {
  cluster: Pick<Cluster, 'transportFor' | 'argocd' | 'identity'>;
  /** The other clusters in which the Argo CD may be that deploys to this one. */
  hubs: readonly Hub[];
  /** For everything together. */
  timeoutMs: number;
}

/** A place to read until a time of `performance.now()`. */
type Place = Hub & { untilMs: number };

interface Type {
  group: string;
  plural: string;
  versions: readonly string[];
}

const types = {
  application: { group: 'argoproj.io', plural: 'applications', versions: ['v1alpha1'] },
  project: { group: 'argoproj.io', plural: 'appprojects', versions: ['v1alpha1'] },
  applicationSet: { group: 'argoproj.io', plural: 'applicationsets', versions: ['v1alpha1'] },
  kustomization: {
    group: 'kustomize.toolkit.fluxcd.io',
    plural: 'kustomizations',
    versions: ['v1', 'v1beta2'],
  },
  helmRelease: { group: 'helm.toolkit.fluxcd.io', plural: 'helmreleases', versions: ['v2', 'v2beta2'] },
  resourceSet: { group: 'fluxcd.controlplane.io', plural: 'resourcesets', versions: ['v1'] },
} satisfies Record<string, Type>;

/** An Application has the state of every object that it deploys. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** A page is requested with every change of its workload, and many people watch one rollout. */
const FRESH_MS = 5_000;
const READINGS_MAX = 100;

/** What each viewer has just read, by key of access and path. */
const caches = new WeakMap<Hub['cluster'], LRUCache<string, Promise<Reading>>>();

/**
 * The owners of a workload with their objects, read as the viewer, within the time of a few requests: what the viewer
 * can't read, or what does not answer, is a value.
 */
export function readOwners(reader: OwnerReader, workload: Workload): Promise<OwnerReading[]> {
  const untilMs = performance.now() + reader.timeoutMs;
  return Promise.all(ownersOf(workload).map((owner) => readOwner({ ...reader, untilMs }, owner, workload)));
}

async function readOwner(
  reader: OwnerReader & Place,
  owner: Owner,
  workload: Workload,
): Promise<OwnerReading> {
  switch (owner.kind) {
    case 'tool':
    case 'pipeline':
    case 'helm':
      return unread(owner);
    case 'kustomization':
    case 'helmRelease':
    case 'resourceSet':
      return { ...unread(owner), object: await readParent(reader, owner, workload) };
    case 'application':
      return readApplication(reader, owner, workload);
    default:
      return owner satisfies never;
  }
}

/** In the cluster itself, or else where the Argo CD is that deploys to it. */
async function readApplication(
  reader: OwnerReader & Place,
  owner: Extract<Owner, { kind: 'application' }>,
  workload: Workload,
): Promise<OwnerReading> {
  const { cluster, hubs, untilMs } = reader;
  let place: Place = reader;
  let object: Reading =
    cluster.argocd.cluster === null ? await readParent(reader, owner, workload) : { state: 'absent' };
  if (object.state !== 'found') {
    const places = hubs.map((hub) => ({ ...hub, untilMs }));
    const found = await Promise.all(places.map((each) => readParent(each, owner, workload)));
    const home = { server: cluster.identity.server, name: cluster.argocd.name };
    const at = found.findIndex((each) => each.state === 'found' && deploysTo(each.object, home));
    place = places[at] ?? reader;
    object =
      found[at] ?? (found.some(({ state }) => state === 'unreadable') ? { state: 'unreadable' } : object);
  }
  if (object.state !== 'found') return { ...unread(owner), object };
  const { object: application } = object;
  const [project, parents] = await Promise.all([
    findIn(
      place,
      types.project,
      homesOf(place, application),
      textAt(application, 'spec', 'project') ?? 'default',
    ),
    followParents(application, (parent, child) => readParent(place, parent, child)),
  ]);
  return { owner, object, project, parents };
}

function readParent(place: Place, parent: Parent, child: Marked): Promise<Reading> {
  const { kind, namespace, name } = parent;
  if (kind === 'helm' || name === null) return Promise.resolve({ state: 'unreadable' });
  if (kind !== 'application') return read(place, types[kind], namespace, name);
  const namespaces = namespace === null ? place.cluster.argocd.namespaces : [namespace];
  return findIn(place, types.application, namespaces, name, child);
}

/** Where the Argo CD of an application may be, and its projects are: the application reports that, in newer versions. */
function homesOf({ cluster }: Place, application: JsonObject): readonly string[] {
  const home = textAt(application, 'status', 'controllerNamespace');
  if (home !== undefined) return [home];
  return [...new Set([textAt(application, 'metadata', 'namespace') ?? '', ...cluster.argocd.namespaces])];
}

/** The one of this name in any of the namespaces that lists the child, if one is given. */
async function findIn(
  place: Place,
  type: Type,
  namespaces: readonly string[],
  name: string,
  child?: Marked,
): Promise<Reading> {
  const readings = await Promise.all(namespaces.map((namespace) => read(place, type, namespace, name)));
  const found = readings.filter(
    (reading) => reading.state === 'found' && (child === undefined || listsObject(reading.object, child)),
  );
  if (child !== undefined && found.length > 1) return { state: 'ambiguous' };
  return found[0] ?? readings.find(({ state }) => state === 'unreadable') ?? { state: 'absent' };
}

function read(place: Place, type: Type, namespace: string, name: string): Promise<Reading> {
  const { cluster, viewer } = place;
  const cache = caches.get(cluster) ?? new LRUCache({ max: READINGS_MAX, ttl: FRESH_MS, ttlAutopurge: true });
  caches.set(cluster, cache);
  const key = `${accessKeyOf(viewer)}\n${resourcePath(type, '', namespace, name)}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const reading = readVersions(place, type, namespace, name);
  cache.set(key, reading);
  return reading;
}

/** The first version of the resource that the cluster serves. */
async function readVersions(
  { cluster, viewer, untilMs }: Place,
  type: Type,
  namespace: string,
  name: string,
): Promise<Reading> {
  try {
    const transport = cluster.transportFor(viewer);
    for (const version of type.versions) {
      const path = resourcePath(type, version, namespace, name);
      const timeoutMs = untilMs - performance.now();
      if (timeoutMs < 1) return { state: 'unreadable' };
      try {
        const object = await transport.json({ method: 'GET', path, timeoutMs, maxBytes: ANSWER_BYTES_MAX });
        return isJsonObject(object) ? { state: 'found', object } : { state: 'unreadable' };
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      }
    }
    return { state: 'absent' };
  } catch (error) {
    if (error instanceof AppError) return { state: 'unreadable' };
    throw error;
  }
}
