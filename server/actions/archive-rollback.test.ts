import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { canonicalJson, type JsonObject, parseJson } from '@/lib/kube/json';
import { template } from '@/lib/workloads/testing/objects';
import {
  archived,
  earlierIncarnation,
  currentIncarnation,
  saveRevision,
} from '@/server/actions/testing/archived';
import { apiError } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, openShop, path, ref, replicaSetOf } from '@/server/actions/testing/shop';
import type { Archive } from '@/server/archive/archive';
import { intercept } from '@/server/archive/intercept';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import { Audit } from '@/server/audit/audit';
import { AuditJournal } from '@/server/audit/audit-journal';
import { silentLogger } from '@/server/shared/log';
import { withRequestFacts } from '@/server/shared/request-facts';
import { failureOf } from '@/test/failure';

const setPath = path.replace('deployments/checkout', 'replicasets/checkout-');

/**
 * Values that a careless transport would spoil: Go's escapes, a line separator, an integer that a double
 * cannot hold.
 */
const awkward = parseJson(
  '{"metadata":{"labels":{"app":"checkout"}},"spec":{"terminationGracePeriodSeconds":9007199254740993,' +
    '"containers":[{"name":"app","image":"checkout:1","command":["sh","-c","a && b < c \u2028"]}]}}',
) as JsonObject;

let shop: ReturnType<typeof openShop>;
let archive: Archive;

beforeEach(async () => {
  await open([awkward, template('2'), template('3')]);
  await prune(1, awkward);
});

async function open(bodies: readonly JsonObject[]): Promise<void> {
  shop = openShop(bodies);
  archive = await TestArchive.open();
  shop.archive = archive;
}

/** Prunes it from the cluster; the archive has it. */
async function prune(number: number, body: JsonObject, kept: JsonObject | null = body): Promise<void> {
  await saveRevision(archive, currentIncarnation, archived(body, number), kept);
  shop.cluster.remove(`${setPath}${number}`);
}

/** Calls of methods of these names have other answers. */
function archiveWith(answers: Readonly<Record<string, () => unknown>>): Archive {
  return intercept(archive, (name, call) => (answers[name] ?? call)());
}

const toFirst = (members: object = {}) => shop.rollback({ to: 'uid-checkout-1', ...members });

const codes = (answer: { findings: readonly { severity: string; code: string }[] }) =>
  answer.findings.map(({ severity, code }) => `${severity} ${code}`);
const findingsOf = (error: AppError) => codes(error.details as never);

describe('a rollback to a revision pruned from the cluster', () => {
  test.each(['uid-checkout-1', 1])('writes the recorded template byte for byte, by %s', async (to) => {
    expect((await shop.rollback({ to })).applied).toBe(true);
    const written = shop.cluster.get(path).spec?.template as JsonObject;
    expect(canonicalJson(written)).toBe(canonicalJson(awkward));
    expect(shop.writes()[0]?.body).toContain('"terminationGracePeriodSeconds":9007199254740993');
  });

  test('reports the origin of the template and the consequences in a dry run', async () => {
    const answer = await toFirst({ dryRun: true });
    expect(answer).toMatchObject({
      applied: false,
      dryRun: { accepted: true },
      diff: { equal: false, to: { label: '1', revisionId: 'uid-checkout-1', number: 1 } },
      revision: {
        id: 'uid-checkout-1',
        number: 1,
        origin: 'archive',
        prunedAt: '2026-07-03T10:00:00Z',
        recordedAt: '2026-07-02T10:00:00Z',
      },
      plan: {
        title: 'Roll back to rev 1 (1)',
        kubectl:
          '# kubectl rollout undo cannot roll back to revision 1: the cluster no longer has its template',
      },
    });
    expect(answer.plan?.steps[0]).toBe('A new ReplicaSet for revision 1 scales 0 → 2: 2 pods start.');
    expect(answer.plan?.steps.at(-1)).toBe('Kubernetes records this template as new revision 4.');
    expect(answer.findings).toContainEqual({
      severity: 'info',
      code: 'from_archive',
      message:
        "The cluster has pruned this revision. Its template comes from Shiplog's archive (recorded 2026-07-02 10:00:00 UTC).",
      action: null,
    });
    expect(shop.writes()).toEqual([]);
    expect(shop.lines()).toEqual([]);
  });

  test('keeps origin and a keyed hash in the audit', async () => {
    await toFirst();
    const { hash } = archived(awkward, 1);
    expect(shop.lines().map(({ action }) => action)).toMatchObject(
      [1, 2].map(() => ({ toId: 'uid-checkout-1', toOrigin: 'archive', toHash: shop.keys.template(hash) })),
    );
    expect(JSON.stringify(shop.lines())).not.toContain(hash);
  });

  test('is followed by its template, whatever revision gets it', async () => {
    const id = (await toFirst()).result?.actionId ?? '';
    shop.cluster.put(replicaSetOf(4, awkward, 2));
    const written = shop.cluster.get(path);
    shop.cluster.put({ ...written, status: deployment({}, { generation: 4 }).status });
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'done', recordedAs: 4 });
  });

  test('can itself be undone when the revision before it was pruned', async () => {
    const { result } = await toFirst();
    const { fromId } = await shop.actions.get(ana, result?.actionId ?? '');
    shop.cluster.put(replicaSetOf(4, awkward, 2));
    shop.cluster.updateCache(path);
    await prune(3, template('3'));
    expect((await shop.rollback({ to: fromId })).revision).toMatchObject({ origin: 'archive', number: 3 });
    expect(shop.cluster.get(path).spec?.template).toEqual(template('3'));
  });

  test('names the revision that has the same template under another id', async () => {
    shop.cluster.put(replicaSetOf(7, awkward));
    const answer = await toFirst({ dryRun: true });
    expect(codes(answer)).toContain('info retained_equal');
    expect(answer.plan).toMatchObject({
      kubectl: 'kubectl -n shop rollout undo deployment/checkout --to-revision=7',
    });
    expect(answer.plan?.steps.at(-1)).toBe('The template keeps its revision number, 7.');
  });

  test('takes a revision that is pruned during the request from the archive', async () => {
    await saveRevision(
      archive,
      currentIncarnation,
      archived(template('2'), 2, { prunedAt: null }),
      template('2'),
    );
    expect((await shop.rollback({ dryRun: true })).revision?.origin).toBe('cluster');
    const { toSeen } = await shop.rollback({ dryRun: true });
    shop.cluster.onRequest = ({ path: asked }) => {
      if (asked === `${setPath}2`) throw apiError(404, 'NotFound', 'gone');
    };
    const answer = await shop.rollback({ toSeen });
    expect(answer).toMatchObject({ applied: true, revision: { origin: 'archive', prunedAt: null } });
  });

  test.each(['dry run', 'write'])('leaves a change just before the %s alone', async (moment) => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && (query?.dryRun !== undefined) === (moment === 'dry run'))
        shop.cluster.put(deployment(template('4'), { generation: 4 }));
    };
    expect((await failureOf(toFirst())).code).toBe('changed');
    expect(shop.cluster.get(path).spec?.template).toEqual(template('4'));
  });

  test('uses no template but the one that was shown', async () => {
    const { toSeen } = await toFirst({ dryRun: true });
    const other = template('1b');
    await saveRevision(archive, currentIncarnation, archived(other, 1), other);
    expect((await failureOf(toFirst({ toSeen }))).code).toBe('changed');
    expect(shop.patches()).toHaveLength(1);
  });
});

describe('it is rejected, and nothing is sent', () => {
  afterEach(() => expect(shop.writes()).toEqual([]));

  test('when its template has expired', async () => {
    const body = template('0');
    await prune(9, body, null);
    const error = await failureOf(shop.rollback({ to: 9 }));
    expect([error.code, ...findingsOf(error)]).toEqual(['refused', 'refusal template_gone']);
    expect(shop.lines()[0]).toMatchObject({ event: 'refused', action: { toId: 'uid-checkout-9' } });
  });

  test('when the stored template differs from the recorded one', async () => {
    shop.archive = archiveWith({ body: () => Promise.resolve(template('[masked:00000000]')) });
    expect(findingsOf(await failureOf(toFirst({ dryRun: true })))).toEqual(['refusal template_damaged']);
  });

  test('when its template is the current one', async () => {
    await saveRevision(archive, currentIncarnation, archived(template('3'), 8), template('3'));
    expect(codes(await shop.rollback({ to: 8, dryRun: true }))).toContain('refusal equal_target');
    expect((await failureOf(shop.rollback({ to: 8 }))).code).toBe('refused');
  });

  test('when it has to work as with kubectl', async () => {
    expect(findingsOf(await failureOf(toFirst({ likeKubectl: true })))).toContain('refusal kubectl_cannot');
  });

  test('for a viewer who is not allowed to read its source object', async () => {
    shop.cluster.answerAccess = ({ resource }) => ({ allowed: resource !== 'replicasets' });
    expect((await failureOf(toFirst({ dryRun: true }))).code).toBe('forbidden');
  });

  test('while the archive cannot be read, with the archive’s own words', async () => {
    const locked = new AppError('archive_unavailable', 'The archive is locked.');
    shop.archive = archiveWith({ incarnations: () => Promise.reject(locked) });
    expect(await failureOf(toFirst())).toMatchObject({ code: locked.code, message: locked.message });
    expect(shop.lines()).toMatchObject([{ event: 'failed', code: 'archive_unavailable' }]);
    shop.archive = null;
    expect((await failureOf(toFirst())).message).toMatch(
      /no revision uid-checkout-1 .* archive is not available/,
    );
    expect((await shop.rollback({ dryRun: true })).dryRun?.accepted).toBe(true);
  });

  test('for a revision that was never recorded', async () => {
    expect((await failureOf(shop.rollback({ to: 99 }))).code).toBe('not_found');
  });
});

describe('an earlier incarnation of the workload', () => {
  const id = 'uid-old-5';
  const live = async (labels: JsonObject) => {
    const body = { ...template('old'), metadata: { labels } };
    const revision = archived(body, 5, { workloadUid: earlierIncarnation.uid, id });
    await saveRevision(archive, earlierIncarnation, revision, body);
    return body;
  };

  test('can be the target by id, with a warning, and never by number', async () => {
    const body = await live({ app: 'checkout', tier: 'web' });
    expect((await failureOf(shop.rollback({ to: 5, dryRun: true }))).code).toBe('not_found');
    const answer = await shop.rollback({ to: id });
    expect(answer).toMatchObject({
      applied: true,
      revision: { id, number: 5, origin: 'earlierIncarnation' },
      plan: { title: 'Roll back to rev 5 (old) of an earlier object' },
    });
    const warning = answer.findings.find(({ code }) => code === 'earlier_life');
    expect(warning).toMatchObject({ severity: 'warning' });
    expect(warning?.message).toMatch(/was deleted on 2026-07-20 08:00:00 UTC\..*are unchanged\.$/);
    expect(shop.cluster.get(path).spec).toMatchObject({ replicas: 2, template: body });
  });

  test('is rejected where the selector has changed', async () => {
    await live({ app: 'shop' });
    const answer = await shop.rollback({ to: id, dryRun: true });
    expect(answer.plan).toBeNull();
    expect(answer.findings[0]).toMatchObject({
      severity: 'refusal',
      code: 'selector_mismatch',
      message: expect.stringContaining('app=shop, which the selector of checkout (app=checkout)') as string,
    });
    expect((await failureOf(shop.actions.rollback(ana, ref, shop.request({ to: id })))).code).toBe('refused');
    expect(shop.patches()).toEqual([]);
  });
});

test('an old action that the audit file no longer holds is answered from the archive', async () => {
  const sample = sampleAction(7);
  const old = { ...sample, action: { ...sample.action, cluster: shop.cluster.identity.id } };
  await archive.actions.saveJournal({
    id: 'file',
    bytes: 100,
    damaged: 0,
    mark: 'm',
    actions: [old],
    events: [],
  });
  expect(await shop.actions.get(ana, old.action.id)).toStrictEqual(old.action);
  await expect(shop.actions.get(ana, 'unknown')).rejects.toMatchObject({ code: 'not_found' });
});

describe('an Idempotency-Key that another process on the archive has used', () => {
  const request = new Request('https://shiplog.example/', { headers: { 'idempotency-key': 'k1' } });
  const asked = (what: string, members: object = {}) =>
    withRequestFacts(request, {}, what, () => shop.rollback(members));

  /** Through a process with an audit file of its own, which copies it into the archive. */
  async function doElsewhere(): Promise<string | undefined> {
    const journal = new AuditJournal({ audit: shop.audit, log: silentLogger });
    journal.attach(archive.actions);
    const { result } = await asked('roll back to 2');
    await journal.settled();
    await journal.stop();
    shop.actions.stop();
    shop.audit.close();
    const elsewhere = mkdtempSync(join(tmpdir(), 'shiplog-other-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    shop.audit = Audit.open(elsewhere);
    shop.open();
    return result?.actionId;
  }

  test('is answered with the action that it started, and nothing is written again', async () => {
    const actionId = await doElsewhere();
    expect(await asked('roll back to 2')).toMatchObject({ applied: true, result: { actionId } });
    expect(shop.writes()).toHaveLength(1);
    await expect(asked('roll back to 1', { to: 1 })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  test('relies on the precondition where the archive fails', async () => {
    await doElsewhere();
    shop.archive = archiveWith({
      list: () => Promise.reject(new AppError('archive_unavailable', 'gone')),
    });
    await expect(asked('roll back to 2', { seen: 'before' })).rejects.toMatchObject({ code: 'changed' });
    expect(shop.writes()).toHaveLength(1);
  });
});
