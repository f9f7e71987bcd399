import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import {
  BIG_INTEGER,
  kubectl,
  manifestOf,
  type NativeKind,
  nativeKinds,
  resourceOf,
  rolledOut,
  until,
} from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { ActionAnswer } from '@/lib/api/actions';
import type { RecordItem, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { canonicalJson, type JsonObject, parseJson } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';

const namespace = 'archived';
const image = (tag: string) => `registry.example.com/app:${tag}`;
/** A CloneSet or StatefulSet retains one more revision than its limit while its pods move. */
const limits: Readonly<Record<NativeKind, number>> = { deployment: 0, statefulset: 1, daemonset: 1 };
const sources: Readonly<Record<NativeKind, string>> = {
  deployment: 'replicasets',
  statefulset: 'controllerrevisions',
  daemonset: 'controllerrevisions',
};
const canRun = await needs('Rollback from the archive', 'kubectl');

let cluster: ControlPlane;
let shiplog: Shiplog;
let dataDir: string;

interface FirstRevision {
  /** Id of the first revision, and the template that its source object held. */
  id: string;
  template: JsonObject;
  /** The source object of the revision. */
  uid: string;
}
const firstRevisions = new Map<NativeKind, FirstRevision>();

beforeAll(async () => {
  if (!canRun) return;
  dataDir = await mkdtemp(join(tmpdir(), 'shiplog-archived-'));
  cluster = await startControlPlane();
  await seedNamespace(cluster, namespace);
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir });
  await Promise.all(
    nativeKinds.map(async (kind) => {
      await create(kind, image('1.0'));
      firstRevisions.set(kind, await readFirstRevision(kind));
      for (const tag of ['1.1', '1.2', '1.3']) await ship(kind, tag);
      await pruned(kind, firstRevisionOf(kind).id);
    }),
  );
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
});

const baseOf = (kind: NativeKind) => `/api/workloads/${resourceOf(kind)}/${namespace}/app`;

function detailOf(kind: NativeKind): Promise<WorkloadDetail> {
  return shiplog.get(baseOf(kind));
}

function firstRevisionOf(kind: NativeKind): FirstRevision {
  const firstRevision = firstRevisions.get(kind);
  if (firstRevision === undefined) throw new Error(`no ${kind}`);
  return firstRevision;
}

async function create(kind: NativeKind, from: string, edit = (text: string) => text): Promise<void> {
  const manifest = manifestOf(kind, namespace, 'app', from).replace(
    '"selector"',
    `"revisionHistoryLimit":${limits[kind]},"selector"`,
  );
  await kubectl(cluster, ['create', '-f', '-'], edit(manifest));
  await rolledOut(cluster, kind, namespace, 'app');
}

/** As kubectl prints it, with every number verbatim. */
async function read(path: string[]): Promise<JsonObject> {
  return parseJson(await kubectl(cluster, ['-n', namespace, 'get', ...path, '-o', 'json'])) as JsonObject;
}

async function templateOf(kind: NativeKind): Promise<JsonObject> {
  return objectAt(await read([kind, 'app']), 'spec', 'template') ?? {};
}

/** Waits until the rollout of the first revision is recorded. */
async function readFirstRevision(kind: NativeKind): Promise<FirstRevision> {
  const { id, uid } = await targetShown(kind, image('1.0'));
  return { id, uid, template: await recorded(kind, id) };
}

/**
 * The current template as recorded in its revision. Some controllers corrupt an integer beyond 2^53; a rollback can
 * only restore the recorded one.
 */
async function recorded(kind: NativeKind, id: string): Promise<JsonObject> {
  const template = await templateOf(kind);
  const source = await read([sources[kind], await nameOf(kind, id)]);
  const spec =
    objectAt(source, 'data', 'spec', 'template', 'spec') ??
    objectAt(source, 'spec', 'template', 'spec') ??
    {};
  const { terminationGracePeriodSeconds = null } = spec;
  return { ...template, spec: { ...objectAt(template, 'spec'), terminationGracePeriodSeconds } };
}

async function nameOf(kind: NativeKind, id: string): Promise<string> {
  const { revisions } = await detailOf(kind);
  const found = revisions.find((revision) => revision.id === id);
  if (found === undefined) throw new Error(`${kind} app has no revision ${id}.`);
  return found.name;
}

/** The target, once it has that image and is complete. */
function targetShown(kind: NativeKind, shown: string): Promise<{ id: string; uid: string; seen: string }> {
  return until(`${kind} app runs ${shown}`, async () => {
    const { images, targetId: id, state, uid, seen } = (await detailOf(kind)).workload;
    return images[0]?.image === shown && id !== null && state === 'complete' && { id, uid, seen };
  });
}

async function ship(kind: NativeKind, tag: string): Promise<void> {
  await kubectl(cluster, ['-n', namespace, 'set', 'image', `${kind}/app`, `app=${image(tag)}`]);
  await rolledOut(cluster, kind, namespace, 'app');
  await targetShown(kind, image(tag));
}

async function pruned(kind: NativeKind, id: string): Promise<void> {
  await until(`${kind} app has lost ${id}`, async () => {
    const uids = await kubectl(cluster, [
      ...['-n', namespace, 'get', sources[kind], '-o', 'jsonpath={.items[*].metadata.uid}'],
    ]);
    return !uids.split(' ').includes(id);
  });
}

async function rollback(kind: NativeKind, request: object, headers: Record<string, string> = {}) {
  const { workload } = await detailOf(kind);
  return shiplog.post(
    `${baseOf(kind)}/rollback`,
    { seen: workload.seen, reason: 'the old one ran well', dryRun: false, ...request },
    headers,
  );
}

/** Waits until the recorder has archived it. */
function tried(kind: NativeKind, to: string): Promise<ActionAnswer> {
  return until(`${to} can be tried`, async () => {
    const answer = await rollback(kind, { to, dryRun: true });
    return answer.status === 200 && answer.body;
  });
}

function ended({ result }: ActionAnswer): Promise<Action> {
  return until('the rollback has ended', async () => {
    const action: Action = await shiplog.get(`/api/actions/${result?.actionId}`);
    return (action.state === 'done' || action.state === 'failed') && action;
  });
}

const codesOf = ({ findings }: ActionAnswer) => findings.map(({ severity, code }) => `${severity} ${code}`);

describe.runIf(canRun).each(nativeKinds)('a revision of a %s that the cluster has pruned', (kind) => {
  it('has a preview by a dry run, which changes nothing', async () => {
    const before = await read([kind, 'app']);
    const body = await tried(kind, firstRevisionOf(kind).id);
    expect(body).toMatchObject({
      applied: false,
      dryRun: { accepted: true },
      revision: { id: firstRevisionOf(kind).id, number: 1, origin: 'archive' },
      plan: { kubectl: expect.stringMatching(/^# kubectl rollout undo cannot/) },
    });
    expect(codesOf(body)).toContain('info from_archive');
    expect(JSON.stringify(body)).not.toContain('correct horse');
    expect((await rollback(kind, { to: 1, dryRun: true })).body.revision.id).toBe(firstRevisionOf(kind).id);
    const after = await read([kind, 'app']);
    expect(objectAt(after, 'metadata')?.generation).toBe(objectAt(before, 'metadata')?.generation);
  });

  it('does not overwrite a concurrent write of another client', async () => {
    const { workload } = await detailOf(kind);
    await kubectl(cluster, ['-n', namespace, 'set', 'env', `${kind}/app`, 'SOMEBODY=else']);
    const { status, body } = await rollback(kind, { to: firstRevisionOf(kind).id, seen: workload.seen });
    expect([status, body.error.code]).toEqual([409, 'changed']);
    expect(JSON.stringify(body.error.details)).toContain('SOMEBODY');
    expect(JSON.stringify(await templateOf(kind))).toContain('SOMEBODY');
    await rolledOut(cluster, kind, namespace, 'app');
  });

  it('is restored byte for byte, once, and the rollback can be undone', async () => {
    const { id, template } = firstRevisionOf(kind);
    const before = await targetShown(kind, image('1.3'));
    const left = await recorded(kind, before.id);
    const { toSeen } = await tried(kind, id);
    const request = { to: id, toSeen, seen: before.seen };
    const key = { 'idempotency-key': `archived-${kind}` };
    const { status, body } = await rollback(kind, request, key);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.applied).toBe(true);
    expect((await rollback(kind, request, key)).body).toEqual(body);
    const written = canonicalJson(await templateOf(kind));
    expect(written).toBe(canonicalJson(template));
    expect(written).toContain('\u2028');
    if (kind !== 'statefulset') expect(written).toContain(BIG_INTEGER);

    const action = await ended(body);
    expect(action, action.message).toMatchObject({
      state: 'done',
      fromId: before.id,
      toId: id,
      toOrigin: 'archive',
    });
    expect(action.recordedAs).toBeGreaterThan(action.from ?? NaN);
    expect(readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')).not.toContain('correct horse');
    const record = await until<RecordItem>('its record names who did it', async () => {
      const { items }: RecordList = await shiplog.get(
        `/api/records?namespace=${namespace}&resource=${resourceOf(kind)}`,
      );
      return items.find(({ to }) => to.number === action.recordedAs);
    });
    expect(record).toMatchObject({
      actor: { source: 'shiplog' },
      cause: expect.stringContaining('ran well'),
    });

    await targetShown(kind, image('1.0'));
    await tried(kind, before.id);
    const undone = await rollback(kind, { to: before.id });
    expect(undone.status, JSON.stringify(undone.body)).toBe(200);
    expect((await ended(undone.body)).state).toBe('done');
    expect(canonicalJson(await templateOf(kind))).toBe(canonicalJson(left));
  });

  it('is available for the next object of the name, by its id alone and with a warning', async () => {
    const { id, uid, template } = firstRevisionOf(kind);
    await kubectl(cluster, ['-n', namespace, 'delete', kind, 'app']);
    await create(kind, image('2.0'));
    await until('the new incarnation is shown', async () => {
      const { workload } = await detailOf(kind);
      return workload.uid !== uid && workload.state === 'complete';
    });
    const body = await tried(kind, id);
    expect(body.revision).toMatchObject({ id, origin: 'earlierIncarnation' });
    expect(codesOf(body)).toContain('warning earlier_life');
    const done = await rollback(kind, { to: id });
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect((await ended(done.body)).state).toBe('done');
    expect(canonicalJson(await templateOf(kind))).toBe(canonicalJson(template));
  });

  it('is refused where the next object selects other pods', async () => {
    const { id } = firstRevisionOf(kind);
    const { workload } = await detailOf(kind);
    await kubectl(cluster, ['-n', namespace, 'delete', kind, 'app']);
    await create(kind, image('3.0'), (text) => text.replaceAll('"app":"app"', '"app":"other"'));
    await until('the new incarnation is shown', async () => {
      const answer = await detailOf(kind);
      return answer.workload.uid !== workload.uid && answer.workload.state === 'complete';
    });
    expect(codesOf(await tried(kind, id))).toContain('refusal selector_mismatch');
    const { status, body } = await rollback(kind, { to: id });
    expect([status, body.error.code]).toEqual([422, 'refused']);
    expect(JSON.stringify(await templateOf(kind))).toContain(image('3.0'));
  });
});

describe.runIf(canRun)('without what it needs', () => {
  const kind = 'deployment';
  const request = () => rollback(kind, { to: firstRevisionOf(kind).id });
  const file = () => join(dataDir, 'archive.db');

  async function restart(env: Record<string, string> = {}): Promise<void> {
    await shiplog.stop();
    shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir, env });
  }

  it('writes nothing where Shiplog is read-only, and says so', async () => {
    await restart({ SHIPLOG_READ_ONLY: '1' });
    const before = canonicalJson(await templateOf(kind));
    const { status, body } = await request();
    expect([status, body.error.code]).toEqual([403, 'read_only']);
    expect(canonicalJson(await templateOf(kind))).toBe(before);
  });

  it('writes nothing where the archive is broken, and says what is missing', async () => {
    await shiplog.stop();
    for (const part of ['', '-wal', '-shm']) {
      try {
        renameSync(`${file()}${part}`, `${file()}${part}.away`);
      } catch {
        // Written into the main file on closing.
      }
    }
    writeFileSync(file(), 'no database, whatever its name says');
    await restart();
    const before = canonicalJson(await templateOf(kind));
    const { status, body } = await request();
    expect([status, body.error.code]).toEqual([503, 'archive_unavailable']);
    expect(body.error.message).toMatch(/archive/);
    expect(canonicalJson(await templateOf(kind))).toBe(before);
  });

  it('writes nothing where the archive is new, which does not have it', async () => {
    await shiplog.stop();
    rmSync(file());
    await restart();
    const { body } = await until('the new archive is open', async () => {
      const answer = await request();
      return answer.status !== 503 && answer;
    });
    expect(body.error.code).toBe('not_found');
  });
});
