import { deepEqual, isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { behaviourByImage, type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import type { Pod } from '@/sandbox/controllers/objects/pod';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { argoCrds, kruiseCrds, leaderWorkerSetCrd } from '@/sandbox/crds/crds';
import type { RecordedLine, Recording } from '@/test/replay/recording';

/** A request that repeats what a person did. */
interface PersonWrite {
  method: 'POST' | 'PATCH';
  path: string;
  body: JsonObject;
  manager: string;
}

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** The webhook of OpenKruise Rollouts writes within the write of a person. */
const WEBHOOK = 'rollouts.kruise.io/';
const RELEASE_HELD = `${WEBHOOK}in-progressing`;
const PEOPLE = /^(kubectl|shiplog)/i;
const NODES = ['node-0', 'node-1', 'node-2'].map((name) => ({ name }));
const SLOW_MS = 3_000;
/** From the note of an act to its write. */
const COMMAND_MS = 300;

/** Plays in a sandbox what people did in a recording, at the same times; its watch, with the marks of the recording. */
export async function replayInSandbox({ startMs, lines }: Recording): Promise<Recording> {
  const sandbox = await TestSandbox.start(startMs, { nodes: NODES, podBehaviour: recordedBehaviour });
  const { clock, api, transport } = sandbox;
  const watched: RecordedLine[] = [];
  const elapsed = () => clock.now() - startMs;
  const send = ({ method, path, body, manager }: PersonWrite) =>
    transport.json({
      method,
      path,
      body: JSON.stringify(body),
      query: { fieldManager: manager },
      contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    });
  try {
    await sandbox.define(...argoCrds, ...kruiseCrds, leaderWorkerSetCrd);
    api.store.subscribe(({ type, object }) =>
      watched.push({ t: elapsed(), type, object: object as unknown as KubeObject }),
    );
    const objects = new Map<string, KubeObject>();
    for (const line of lines) {
      if ('object' in line) {
        const { uid } = line.object.metadata;
        const writes = line.type === 'DELETED' ? [] : findWrites(objects.get(uid), line.object);
        objects.set(uid, line.object);
        if (writes.length > 0) await sandbox.passUntil(startMs + line.t);
        for (const write of writes) await send(write);
        continue;
      }
      const writes = findStatusWrites(line.act, objects.values());
      if (writes.length > 0) await sandbox.passUntil(startMs + line.t + COMMAND_MS);
      for (const write of writes) await send(write);
      if (!line.act.startsWith('mark: ')) continue;
      await sandbox.passUntil(startMs + line.t);
      watched.push({ t: elapsed(), act: line.act });
    }
    return { startMs, namespace: 'default', lines: watched };
  } finally {
    await sandbox.close();
  }
}

/** The kubelets of the recordings: containers start and end at once. */
function recordedBehaviour(pod: Pod): PodBehaviour {
  const isSlow = pod.spec.containers.some(({ image }) => image?.endsWith('slow'));
  const behaviour = behaviourByImage(pod);
  const readyAfterMs = behaviour.outcome === 'crash' ? 1_000 : isSlow ? SLOW_MS : 0;
  return { ...behaviour, startsAfterMs: 200, readyAfterMs, stopsAfterMs: 200 };
}

/** What people wrote for an object to become another; nothing where only controllers wrote. */
function findWrites(before: KubeObject | undefined, after: KubeObject): PersonWrite[] {
  const old = before?.metadata.managedFields ?? [];
  const { metadata } = after;
  const writers = (metadata.managedFields ?? []).filter(
    (entry) =>
      entry.subresource !== 'status' &&
      !old.some(({ manager, time }) => manager === entry.manager && time === entry.time),
  );
  const person = writers.find(({ manager }) => PEOPLE.test(manager ?? ''));
  const path = pathOf(after);
  const manager = person?.manager ?? 'kubectl';
  if (before === undefined) {
    if (person === undefined) return [];
    const { apiVersion, kind, spec } = after;
    const { name, annotations = {}, labels = {} } = metadata;
    const body = { apiVersion, kind, metadata: { name, annotations, labels }, spec: spec ?? {} };
    const collection = path.slice(0, path.lastIndexOf('/'));
    return [...servicesOf(after), { method: 'POST', path: collection, body, manager }];
  }
  const spec = changesOf(before.spec, after.spec);
  if (person === undefined && !(writers.length === 0 && Object.keys(spec).length > 0 && isLastPerson(after)))
    return [];
  const isHeld = metadata.annotations?.[RELEASE_HELD] !== before.metadata.annotations?.[RELEASE_HELD];
  const annotations = changesOf(before.metadata.annotations, metadata.annotations);
  for (const key of Object.keys(annotations))
    if (key === APPLIED || key.startsWith(WEBHOOK)) Reflect.deleteProperty(annotations, key);
  const body = { metadata: { annotations }, spec: isHeld ? { template: spec['template'] ?? {} } : spec };
  return [{ method: 'PATCH', path, body, manager }];
}

/** A second write within a second leaves no other entry, and one of `kubectl scale` none at all. */
function isLastPerson({ metadata }: KubeObject): boolean {
  const entries = (metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status');
  const last = entries.reduce((latest, { time = '' }) => (time > latest ? time : latest), '');
  return entries.some(({ manager = '', time }) => time === last && PEOPLE.test(manager));
}

/** A patch of a status leaves no trace in a stream that is sure to be found; the note of the act has its text. */
function findStatusWrites(act: string, objects: Iterable<KubeObject>): PersonWrite[] {
  const patch = /\{"status": ?\{.*\}\}/.exec(act)?.[0];
  if (patch === undefined) return [];
  return [...objects]
    .filter(({ kind, metadata: { name } }) => kind === 'Rollout' && act.includes(` ${name} `))
    .map((rollout) => ({
      method: 'PATCH',
      path: `${pathOf(rollout)}/status`,
      body: parseJson(patch) as JsonObject,
      manager: 'kubectl-argo-rollouts',
    }));
}

function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  return `/apis/${apiVersion}/namespaces/default/${kind.toLowerCase()}s/${metadata.name}`;
}

/** The Services and Ingresses that an object names; recordings leave them out. */
function servicesOf(object: KubeObject): PersonWrite[] {
  const text = JSON.stringify(object.spec);
  const selector = { app: object.metadata.name.replace(/-ro$/, '') };
  const names = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))];
  const services = names(/"(?:activeService|previewService|service)":"([^"]+)"/g);
  const ingresses = names(/"ingress":\{[^}]*"name":"([^"]+)"/g);
  const post = (collection: string, name: string, spec: JsonObject): PersonWrite => ({
    method: 'POST',
    path: collection,
    body: { metadata: { name }, spec },
    manager: 'kubectl-client-side-apply',
  });
  const backendOf = (name: string) => ({ service: { name: services[0] ?? name, port: { number: 80 } } });
  return [
    ...services.map((name) =>
      post('/api/v1/namespaces/default/services', name, { selector, ports: [{ port: 80 }] }),
    ),
    ...ingresses.map((name) => {
      const paths = [{ path: '/', pathType: 'Prefix', backend: backendOf(name) }];
      const spec = { ingressClassName: 'nginx', rules: [{ http: { paths } }] };
      return post('/apis/networking.k8s.io/v1/namespaces/default/ingresses', name, spec);
    }),
  ];
}

/** As a merge patch. */
function changesOf(before: unknown, after: unknown): JsonObject {
  const old = (before ?? {}) as JsonObject;
  const next = (after ?? {}) as JsonObject;
  const changes: JsonObject = {};
  for (const key of Object.keys(old)) if (!(key in next)) changes[key] = null;
  for (const [key, value] of Object.entries(next)) {
    const was = old[key];
    if (value === undefined || (was !== undefined && deepEqual(was, value))) continue;
    changes[key] = isJsonObject(value) && isJsonObject(was) ? changesOf(was, value) : value;
  }
  return changes;
}
