import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { rollbackRequestSchema } from '@/lib/api/actions';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { NAMESPACE, object, replicaSet, template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { createActions } from '@/server/actions/service';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { Archive } from '@/server/archive/archive';
import { Audit, type AuditEntry, auditEntrySchema } from '@/server/audit/audit';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { viewerNamed } from '@/server/shared/testing/viewers';

export const NOON = Date.parse('2026-08-01T12:00:00Z');
export const ref = { resource: 'deployments.apps', namespace: NAMESPACE, name: 'checkout' };
export const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/checkout`;
export const ana = viewerNamed('ana');

interface Pods {
  generation?: number;
  observed?: number;
  updated?: number;
  ready?: number;
  total?: number;
}

/** A Deployment of two replicas; all of them are ready unless set otherwise. */
export function deployment(body: JsonObject, pods: Pods = {}, spec: JsonObject = {}): KubeObject {
  const { generation = 3, updated = 2, ready = 2, total = 2 } = pods;
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
  return object(
    'Deployment',
    { uid: WORKLOAD_UID, owner: null, generation, annotations: { keep: 'me' } },
    {
      spec: {
        replicas: 2,
        strategy,
        selector: { matchLabels: { app: 'checkout' } },
        template: body,
        ...spec,
      },
      status: {
        observedGeneration: pods.observed ?? generation,
        replicas: total,
        updatedReplicas: updated,
        readyReplicas: ready,
        availableReplicas: ready,
      },
    },
  );
}

export function replicaSetOf(revision: number, body: JsonObject, replicas = 0, first = revision): KubeObject {
  const set = replicaSet(revision, '', { name: `checkout-${first}`, replicas, created: first });
  const labels = { app: 'checkout', 'pod-template-hash': `hash-${revision}` };
  return { ...set, spec: { ...set.spec, template: { ...body, metadata: { labels } } } };
}

/** Revisions 1, 2 and 3 of one Deployment; 3 is the target and complete. */
export function openShop(bodies: readonly JsonObject[] = [template('1'), template('2'), template('3')]) {
  const cluster = new FakeCluster();
  const folder = makeFolder();
  const dir = folder.path;
  onTestFinished(() => folder.remove());
  const keys = new Keys(Buffer.alloc(32, 7));
  const clock = { now: NOON };
  const target = bodies.at(-1) ?? {};
  bodies.forEach((body, index) => cluster.put(replicaSetOf(index + 1, body, body === target ? 2 : 0)));
  cluster.put(deployment(target));
  const shop = {
    cluster,
    keys,
    clock,
    dir,
    audit: Audit.open(dir),
    archive: null as Archive | null,
    actions: undefined as unknown as ReturnType<typeof createActions>,
    open() {
      const { audit } = shop;
      shop.actions = createActions({
        cluster,
        keys,
        audit,
        archive: () => shop.archive,
        log: silentLogger,
        now: () => clock.now,
      });
    },
    /** The process ends and another one starts. */
    restart() {
      shop.actions.stop();
      shop.audit.close();
      shop.audit = Audit.open(dir);
      shop.open();
      shop.actions.resume();
    },
    seen: ({ resource, namespace, name } = ref) => {
      const workload = cluster.cache.workload(resource, namespace, name);
      return keys.preconditionToken(cluster.identity.id, workload?.uid ?? '', workload?.bodyId ?? '');
    },
    request: (members: object = {}) =>
      rollbackRequestSchema.parse({ to: 2, seen: shop.seen(), reason: 'errors since 3', ...members }),
    rollback: (members: object = {}) => shop.actions.rollback(ana, ref, shop.request(members)),
    lines: (): AuditEntry[] =>
      readFileSync(join(dir, 'audit.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => auditEntrySchema.parse(JSON.parse(line))),
    events: () => shop.lines().map(({ event }) => event),
    patches: () => cluster.requests.filter(({ method }) => method === 'PATCH'),
    writes: () =>
      cluster.requests.filter(({ method, query }) => method !== 'GET' && query?.dryRun === undefined),
  };
  shop.open();
  return shop;
}
