import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { deployment as deploymentKind } from '@/lib/workloads/kinds/deployment';
import { replicaSet, template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { apiError, unreachable } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, NOON, openShop, path, ref, replicaSetOf } from '@/server/actions/testing/shop';
import { BodyStore } from '@/server/cluster/body-store';
import { factsOf } from '@/server/cluster/ingest';
import { ownActions } from '@/server/recorder/own-actions';
import { failureOf } from '@/test/failure';

let shop: ReturnType<typeof openShop>;

beforeEach(() => {
  shop = openShop();
});

const codes = (answer: { findings: readonly { severity: string; code: string }[] }) =>
  answer.findings.map(({ severity, code }) => `${severity} ${code}`);

describe('a rollback', () => {
  test('writes the template of the revision and nothing else but its change cause', async () => {
    const answer = await shop.rollback();
    expect(answer.applied).toBe(true);
    const after = shop.cluster.get(path);
    expect(after.spec?.template).toEqual(template('2'));
    expect(after.spec?.replicas).toBe(2);
    expect(after.metadata.annotations).toEqual({
      keep: 'me',
      'kubernetes.io/change-cause': 'rollback to revision 2 (was 3): errors since 3',
    });
  });

  test('with a new partition is rejected where the kind can’t do that in one write', async () => {
    const { code, message } = await failureOf(shop.rollback({ partition: 1 }));
    expect([code, message]).toEqual([
      'bad_request',
      'A rollback of a Deployment cannot set the partition. Change the partition separately.',
    ]);
    expect(shop.writes()).toEqual([]);
  });

  test('is one patch as the viewer, tested on uid and template, after a dry run', async () => {
    await shop.rollback();
    const [tried, done, ...more] = shop.patches();
    expect(more).toEqual([]);
    expect(tried?.query).toMatchObject({ dryRun: 'All', fieldManager: 'shiplog' });
    expect(done?.query).toEqual({ fieldManager: 'shiplog', fieldValidation: 'Warn' });
    expect(done?.body).toBe(tried?.body);
    expect(done).toMatchObject({ credential: { user: 'ana' }, contentType: 'application/json-patch+json' });
    expect((JSON.parse(done?.body ?? '') as JsonObject[]).slice(0, 2)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-workload' },
      { op: 'test', path: '/spec/template', value: template('3') },
    ]);
    expect(shop.cluster.requests.every(({ credential }) => credential === ana.credential)).toBe(true);
  });

  test('is spelled as the API server spells templates', async () => {
    const command = ['sh', '-c', 'a && b < c > d \u2028 \u2029'];
    const body = (image: string): JsonObject => ({
      ...template(image),
      spec: { containers: [{ name: 'app', image, command }] },
    });
    shop = openShop([body('1'), body('2')]);
    await shop.rollback({ to: 1 });
    const sent = shop.writes()[0]?.body ?? '';
    expect(sent).toContain('a \\u0026\\u0026 b \\u003c c \\u003e d \\u2028 \\u2029');
    expect(sent).not.toMatch(/[<>&\u2028\u2029]/);
  });

  test('answers a dry run with everything that a person must know, and leaves no trace', async () => {
    const answer = await shop.rollback({ dryRun: true });
    expect(answer).toMatchObject({
      applied: false,
      result: null,
      revision: { id: 'uid-checkout-2', number: 2 },
      dryRun: { accepted: true },
      diff: { equal: false, summary: 'image 3 → 2', from: { label: 'now', number: 3 }, to: { label: '2' } },
      plan: { action: 'rollback', request: { method: 'PATCH', path } },
    });
    expect(codes(answer)).toEqual(['passed no_owner', 'passed permitted', 'passed dry_run_accepted']);
    expect(shop.writes()).toEqual([]);
    expect(shop.lines()).toEqual([]);
  });

  test('derives the history once, and again only where the revision is newer than in the cache', async () => {
    const derive = vi.spyOn(deploymentKind, 'history');
    onTestFinished(() => derive.mockRestore());
    await shop.rollback({ dryRun: true });
    expect(derive).toHaveBeenCalledTimes(1);
    shop.cluster.store(replicaSetOf(2, template('2b')));
    await shop.rollback({ dryRun: true });
    expect(derive).toHaveBeenCalledTimes(3);
  });

  test('accepts a revision by id, by number, and by number as text', async () => {
    const chosen = async (to: unknown) => (await shop.rollback({ to, dryRun: true })).revision?.number;
    expect([await chosen('uid-checkout-1'), await chosen(1), await chosen('1')]).toEqual([1, 1, 1]);
  });

  test('succeeds with the identity of the template that was shown', async () => {
    const { toSeen } = await shop.rollback({ dryRun: true });
    expect((await shop.rollback({ toSeen })).applied).toBe(true);
  });

  test('leaves an attempt and its acceptance in the audit', async () => {
    const answer = await shop.rollback();
    expect(shop.events()).toEqual(['attempted', 'accepted']);
    expect(shop.lines()[1]).toMatchObject({
      seen: expect.any(String) as string,
      action: {
        id: answer.result?.actionId,
        actor: 'ana',
        reason: 'errors since 3',
        from: 3,
        to: 2,
        fromId: 'uid-checkout-3',
        toId: 'uid-checkout-2',
      },
    });
  });
});

describe('no other change is overwritten', () => {
  const edited = () => shop.cluster.put(deployment(template('4'), { generation: 4 }));

  test.each([true, false])(
    'a stale request is answered with the current state (dry run: %s)',
    async (dryRun) => {
      const request = shop.request({ dryRun });
      edited();
      const error = await failureOf(shop.actions.rollback(ana, ref, request));
      expect(error.code).toBe('changed');
      expect(error.details).toMatchObject({ seen: shop.seen(), diff: { summary: 'image 4 → 2' } });
      expect(shop.patches()).toEqual([]);
    },
  );

  test.each(['dry run', 'write'])('leaves a change just before the %s alone', async (moment) => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && (query?.dryRun !== undefined) === (moment === 'dry run')) edited();
    };
    const error = await failureOf(shop.rollback());
    expect(error.code).toBe('changed');
    expect(error.details).toMatchObject({ diff: { summary: 'image 4 → 2' }, paths: ['/spec/template'] });
    expect(shop.cluster.get(path).spec?.template).toEqual(template('4'));
    expect(shop.events().at(-1)).toBe('refused');
  });

  test('names a change of the cause alone, and the same request succeeds afterwards', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method !== 'PATCH' || query?.dryRun !== undefined) return;
      const object = shop.cluster.get(path);
      object.metadata.annotations = { 'kubernetes.io/change-cause': 'hand' };
      shop.cluster.put(object);
    };
    const error = await failureOf(shop.rollback());
    expect(error).toMatchObject({
      code: 'changed',
      message: expect.stringMatching(
        /^Annotations kubernetes.io\/change-cause of checkout changed/,
      ) as string,
    });
    shop.cluster.onRequest = () => undefined;
    expect((await shop.rollback()).applied).toBe(true);
  });

  test('does not write to a workload that was recreated under the name', async () => {
    const request = shop.request();
    const again = deployment(template('3'));
    again.metadata.uid = 'uid-again';
    shop.cluster.put(again);
    expect((await failureOf(shop.actions.rollback(ana, ref, request))).code).toBe('changed');
    expect(shop.patches()).toEqual([]);
  });

  test('allows changes of status and scale meanwhile', async () => {
    shop.cluster.onRequest = ({ method }) => {
      if (method !== 'PATCH') return;
      const object = shop.cluster.get(path);
      object.metadata.resourceVersion = `${Number(object.metadata.resourceVersion) + 1}`;
      shop.cluster.put({ ...object, spec: { ...object.spec, replicas: 5 } });
    };
    await shop.rollback();
    expect(shop.cluster.get(path).spec).toMatchObject({ replicas: 5, template: template('2') });
  });

  test('rejects a revision whose meaning is not the one shown', async () => {
    const { toSeen } = await shop.rollback({ dryRun: true });
    shop.cluster.put(replicaSetOf(2, template('2b')));
    const error = await failureOf(shop.rollback({ toSeen }));
    expect(error.code).toBe('changed');
    expect(error.details.toSeen).not.toBe(toSeen);
    expect(shop.writes()).toEqual([]);
  });

  test('uses the current body of the revision, not the cached one', async () => {
    shop.cluster.store(replicaSetOf(2, template('2b')));
    await shop.rollback();
    expect(shop.cluster.get(path).spec?.template).toEqual(template('2b'));
  });
});

describe('a rollback is rejected', () => {
  test('to the current template, with findings and without a write', async () => {
    const error = await failureOf(shop.rollback({ to: 3 }));
    expect(error.code).toBe('refused');
    expect(error.details.plan).toBeNull();
    expect(codes(error.details as never)).toContain('refusal equal_target');
    const answer = await shop.rollback({ to: 3, dryRun: true });
    expect(codes(answer)).toContain('refusal equal_target');
    expect(answer).toMatchObject({ plan: null, applied: false, diff: { equal: true } });
    expect(shop.patches()).toEqual([]);
    expect(shop.events()).toEqual(['refused']);
  });

  test('to a revision that is unknown while nothing is recorded, or shares its number', async () => {
    expect((await failureOf(shop.rollback({ to: 9 }))).code).toBe('archive_unavailable');
    shop.cluster.put(replicaSet(2, '2c', { name: 'checkout-2c' }));
    const error = await failureOf(shop.rollback());
    expect(error.code).toBe('ambiguous');
    expect(error.details.candidates).toHaveLength(2);
    expect(shop.events()).toEqual(['failed', 'refused']);
  });

  test('of a resource that is no workload, or a missing workload', async () => {
    const request = shop.request();
    const of = (members: object) => failureOf(shop.actions.rollback(ana, { ...ref, ...members }, request));
    expect((await of({ resource: 'pods' })).code).toBe('not_found');
    expect((await of({ name: 'other' })).code).toBe('not_found');
  });

  test('without the right, before anything is sent; a dry run reports it and still explains', async () => {
    shop.cluster.answerAccess = ({ verb }) => ({ allowed: verb !== 'patch', reason: 'RBAC: no role' });
    const error = await failureOf(shop.rollback());
    expect(error.code).toBe('forbidden');
    expect(error.message).toContain('RBAC: no role');
    const answer = await shop.rollback({ dryRun: true });
    expect(codes(answer)).toContain('refusal forbidden');
    expect(answer.diff?.summary).toBe('image 3 → 2');
    expect(answer.dryRun).toBeNull();
    expect(shop.patches()).toEqual([]);
  });

  test.each([
    ['can’t be tried', unreachable(), 'dry_run_unavailable'],
    [
      'meets a webhook that knows no dry run',
      apiError(400, 'BadRequest', 'admission webhook "x" does not support dry run'),
      'dry_run_unavailable',
    ],
    [
      'is found invalid',
      apiError(422, 'Invalid', 'Deployment "checkout" is invalid: spec: x'),
      'dry_run_refused',
    ],
  ])('when it %s', async (_, failure, code) => {
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'PATCH') throw failure;
    };
    const error = await failureOf(shop.rollback());
    expect(error.code).toBe('refused');
    expect(error.details.findings).toContainEqual(expect.objectContaining({ severity: 'refusal', code }));
    expect(codes(await shop.rollback({ dryRun: true }))).toContain(`refusal ${code}`);
    expect(shop.writes()).toEqual([]);
  });

  test('with the words of an admission plugin that denies it', async () => {
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'PATCH') throw apiError(403, 'Forbidden', 'admission webhook "freeze" denied: Friday');
    };
    const error = await failureOf(shop.rollback());
    expect(error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('Friday') as string });
    expect(shop.lines()[0]).toMatchObject({
      event: 'refused',
      apiMessage: expect.stringContaining('Friday') as string,
    });
  });

  test('by the API server after its dry run, with what it says as the reason', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw apiError(422, 'Invalid', 'spec: x');
    };
    const error = await failureOf(shop.rollback());
    expect(error).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('spec: x Nothing was applied.') as string,
      details: { findings: [{ severity: 'refusal', code: 'write_refused' }] },
    });
    expect(shop.events()).toEqual(['attempted', 'refused']);
  });

  test('in read-only mode, a dry run too', async () => {
    const looker = { ...ana, readOnly: 'configured' } as const;
    for (const dryRun of [true, false]) {
      const asked = shop.actions.rollback(looker, ref, shop.request({ dryRun }));
      expect((await failureOf(asked)).code).toBe('read_only');
    }
    expect(shop.cluster.requests).toEqual([]);
    expect(shop.events()).toEqual([]);
  });

  test('while the audit cannot be written', async () => {
    shop.audit.close();
    expect((await failureOf(shop.rollback())).code).toBe('internal');
    expect(shop.writes()).toEqual([]);
  });

  test('while the revisions have not been read', async () => {
    shop.cluster.states = [{ resource: 'replicasets.apps', synced: false, problem: null }];
    expect((await failureOf(shop.rollback())).code).toBe('cluster_unreachable');
  });

  test('an unreachable API server is a failure, and its action reports it', async () => {
    shop.cluster.onRequest = () => {
      throw unreachable();
    };
    const error = await failureOf(shop.rollback());
    expect(error.code).toBe('cluster_unreachable');
    expect(shop.lines()).toMatchObject([
      {
        event: 'failed',
        code: 'cluster_unreachable',
        action: { id: error.details.actionId, state: 'failed' },
      },
    ]);
  });
});

describe('a change by an admission plugin', () => {
  /** Whatever template is written, this one is stored. */
  const admit = (stored: JsonObject) => {
    const original = shop.cluster.api.json;
    shop.cluster.api.json = async (request) => {
      const answer = await original(request);
      if (request.method === 'PATCH') (answer as { spec: { template: JsonObject } }).spec.template = stored;
      return answer;
    };
  };
  const alteration = ({ findings }: { findings: readonly { code: string; message: string }[] }) =>
    findings.find(({ code }) => code === 'altered_by_admission')?.message;

  test('into a new template is in the plan, the difference and the number', async () => {
    admit(template('2-mirrored'));
    const answer = await shop.rollback({ dryRun: true });
    expect(alteration(answer)).toMatch(/stored: image 2 → 2-mirrored\.$/);
    expect(answer.diff?.summary).toBe('image 3 → 2-mirrored');
    expect(answer.plan?.steps.join(' ')).toMatch(
      /new ReplicaSet for revision 4 .* records this .* revision 4\.$/,
    );
  });

  test('into the template of another revision names that revision, and sends what was requested', async () => {
    admit(template('1'));
    const answer = await shop.rollback();
    expect(alteration(answer)).toMatch(/image 2 → 1\. The result equals revision 1\.$/);
    expect(answer.diff).toMatchObject({
      summary: 'image 3 → 1',
      to: { label: '1', revisionId: 'uid-checkout-1' },
    });
    expect(answer.plan?.steps.join(' ')).toMatch(/ReplicaSet of revision 1 .* renumbers revision 1 to 4/);
    expect(answer.plan?.steps.join(' ')).not.toContain('revision 2');
    expect(answer).toMatchObject({
      applied: true,
      plan: { title: 'Roll back to rev 2 (2)' },
      revision: { number: 2 },
    });
    expect(answer.plan?.kubectl).toMatch(/--to-revision=2$/);
    expect(JSON.parse(shop.writes()[0]?.body ?? '')).toContainEqual({
      ...{ op: 'replace', path: '/spec/template', value: template('2') },
    });
    const [{ action, expectation } = {}] = shop.lines().slice(-1);
    expect(action?.toStored).toBe(expectation?.template);
  });

  test('is named in the change cause, which the dry run that is confirmed had, too', async () => {
    admit(template('1'));
    const { plan } = await shop.rollback({ dryRun: true });
    const cause = 'rollback to revision 2, altered by admission (was 3): errors since 3';
    expect(JSON.stringify(plan?.request)).toContain(cause);
    expect(shop.patches()).toHaveLength(2);
    await shop.rollback();
    expect(shop.cluster.get(path).metadata.annotations?.['kubernetes.io/change-cause']).toBe(cause);
    const [tried, triedAgain, done, ...more] = shop.patches().slice(2);
    expect(more).toEqual([]);
    expect(tried?.body).not.toContain('altered by admission');
    expect(triedAgain?.query).toMatchObject({ dryRun: 'All' });
    expect(done?.query?.dryRun).toBeUndefined();
    expect(done?.body).toBe(triedAgain?.body);
  });

  test('that does not come again is in no change cause', async () => {
    admit(template('1'));
    const altering = shop.cluster.api.json;
    let patches = 0;
    shop.cluster.api.json = async (request) => {
      if (request.method !== 'PATCH' || (patches += 1) === 1) return altering(request);
      const answer = (await altering(request)) as { spec: { template: JsonObject } };
      return { ...answer, spec: { ...answer.spec, template: template('2') } };
    };
    const answer = await shop.rollback();
    expect(alteration(answer)).toBeUndefined();
    expect(shop.cluster.get(path).metadata.annotations?.['kubernetes.io/change-cause']).toBe(
      'rollback to revision 2 (was 3): errors since 3',
    );
  });

  test('is found once for plan, difference and checks, and is in no change cause that kubectl restores', async () => {
    const stored = template('2-mirrored');
    admit(stored);
    const { bodyId } = factsOf(stored);
    const acquire = vi.spyOn(BodyStore.prototype, 'acquire');
    onTestFinished(() => acquire.mockRestore());
    const { plan } = await shop.rollback({ dryRun: true, likeKubectl: true });
    expect(acquire.mock.calls.filter(([id]) => id === bodyId)).toHaveLength(1);
    expect(shop.patches()).toHaveLength(1);
    expect(JSON.stringify(plan?.request)).not.toContain('altered by admission');
  });

  test('into the current template is refused: the rollback would change nothing', async () => {
    admit(template('3'));
    const preview = await shop.rollback({ dryRun: true });
    expect(codes(preview)).toEqual(
      expect.arrayContaining(['refusal equal_target', 'warning altered_by_admission']),
    );
    expect(preview).toMatchObject({ plan: null, diff: { equal: true } });
    const { code, message } = await failureOf(shop.rollback());
    expect([code, message]).toEqual([
      'refused',
      'Admission changes the template of revision 2 to the current one: the rollback would change nothing. Nothing was applied.',
    ]);
    expect(shop.writes()).toEqual([]);
  });
});

describe('a lost answer', () => {
  const lose = (stored: boolean) => {
    const fail = ({ query, method }: { query?: object; method: string }) => {
      if (method === 'PATCH' && !('dryRun' in (query ?? {}))) throw unreachable();
    };
    if (stored) shop.cluster.onWritten = fail;
    else shop.cluster.onRequest = fail;
  };

  test('of an executed write counts as accepted', async () => {
    lose(true);
    expect((await shop.rollback()).result?.state).toBe('accepted');
    expect(shop.events()).toEqual(['attempted', 'accepted']);
  });

  test('of a write that was never sent is a failure that reports it', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw unreachable({ outcome: 'not_sent' });
    };
    const error = await failureOf(shop.rollback());
    expect(error).toMatchObject({
      code: 'cluster_unreachable',
      message: expect.stringContaining('Nothing was applied') as string,
    });
    expect(shop.events()).toEqual(['attempted', 'failed']);
  });

  describe('of a write that does not show so far', () => {
    let id: string;

    beforeEach(async () => {
      lose(false);
      const error = await failureOf(shop.rollback());
      expect(error).toMatchObject({
        code: 'cluster_unreachable',
        message: expect.stringMatching(
          /has not arrived yet, but still may\. .*updates the action\.$/,
        ) as string,
        details: { outcome: 'unknown' },
      });
      expect(error.message).not.toContain('Nothing was applied');
      id = String(error.details.actionId);
    });

    const now = async (change: Parameters<typeof shop.cluster.put>[0]) => {
      shop.cluster.put(change);
      await shop.cluster.settled();
      const { state, message, unanswered } = await shop.actions.get(ana, id);
      expect(unanswered).toBe(true);
      return `${state}: ${message}`;
    };

    const checkout = { uid: WORKLOAD_UID, resource: 'deployments.apps', namespace: 'shop', name: 'checkout' };

    test('leaves the action open, which completes when the write arrives late', async () => {
      expect(shop.events()).toEqual(['attempted']);
      shop.clock.now += 60_000;
      expect(await now(deployment(template('3')))).toMatch(/^accepted: .* may still arrive/);
      shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
      expect(await now(deployment(template('2'), { generation: 4 }))).toMatch(/^done: Complete/);
      expect(ownActions(shop.audit.actions(), shop.cluster.cache, checkout)).toMatchObject([
        { id, actor: 'ana' },
      ]);
    });

    test('a change of scale neither completes nor supersedes it', async () => {
      expect(await now(deployment(template('3'), { generation: 4 }, { replicas: 3 }))).toMatch(/^accepted/);
    });

    test('is superseded when another template replaces the one that it was for', async () => {
      expect(await now(deployment(template('5'), { generation: 4 }))).toMatch(
        /^failed: Another template was applied; this one may or may not have been applied before/,
      );
    });

    test('fails once it can no longer arrive, and keeps the name of its author', async () => {
      shop.cluster.connection = { ...shop.cluster.connection, observedAt: NOON + 91_000 };
      expect(await now(deployment(template('3')))).toMatch(/^failed: The request never arrived/);
      expect(ownActions(shop.audit.actions(), shop.cluster.cache, checkout)).toMatchObject([
        { id, actor: 'ana' },
      ]);
    });

    test('counts its time from the sending, also in the next process', async () => {
      shop.clock.now += 20_000;
      lose(false);
      const error = await failureOf(shop.rollback());
      id = String(error.details.actionId);
      shop.restart();
      shop.cluster.connection = { ...shop.cluster.connection, observedAt: NOON + 100_000 };
      expect(await now(deployment(template('3')))).toMatch(/^accepted/);
    });
  });

  test('of a write that can no longer be executed is a change that is shown', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method !== 'PATCH' || query?.dryRun !== undefined) return;
      shop.cluster.onRequest = () => undefined;
      shop.cluster.store(deployment(template('5'), { generation: 4 }));
      throw unreachable();
    };
    expect(await failureOf(shop.rollback())).toMatchObject({ code: 'changed' });
    expect(shop.events()).toEqual(['attempted', 'refused']);
  });

  test('stays open where more than one write has come since', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method !== 'PATCH' || query?.dryRun !== undefined) return;
      shop.cluster.onRequest = () => undefined;
      shop.cluster.store(deployment(template('5'), { generation: 5 }));
      throw unreachable();
    };
    expect(await failureOf(shop.rollback())).toMatchObject({ code: 'cluster_unreachable' });
    expect(shop.events()).toEqual(['attempted']);
  });

  test('leaves the action open until its outcome is known while the API server is unreachable', async () => {
    let isDown = false;
    shop.cluster.onWritten = () => {
      isDown = true;
      throw unreachable();
    };
    shop.cluster.onRequest = () => {
      if (isDown) throw unreachable();
    };
    const error = await failureOf(shop.rollback());
    expect(error.message).toContain(
      'https://api is out of reach. The change may or may not have been applied. Shiplog keeps checking and updates the action.',
    );
    expect(shop.events()).toEqual(['attempted']);
    const id = String(error.details.actionId);
    shop.cluster.updateCache(path);
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'accepted' });
    shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
    const written = shop.cluster.get(path);
    shop.cluster.put({ ...written, status: deployment({}, { generation: 4 }).status });
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, id)).state).toBe('done');
  });
});

describe('secrets', () => {
  const secretly = (image: string, password: string): JsonObject => ({
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image, env: [{ name: 'DB_PASSWORD', value: password }] }] },
  });

  test('are written, and are in no answer, error or line', async () => {
    shop = openShop([secretly('1', 'Zq9one'), secretly('2', 'Zq9two')]);
    const reason = 'see https://ana:Zq9three@wiki';
    const tried = await shop.rollback({ to: 1, dryRun: true, reason });
    const done = await shop.rollback({ to: 1, reason });
    const stale = await failureOf(shop.rollback({ to: 2, reason, seen: 'x' }));
    const refused = await failureOf(shop.rollback({ to: 2, reason }));
    expect(
      JSON.stringify([tried, done, stale.details, stale.message, refused.details, shop.lines()]),
    ).not.toMatch(/Zq9/);
    expect(JSON.stringify(tried.diff)).toContain('[masked:');
    expect(JSON.stringify(shop.cluster.get(path).spec)).toContain('Zq9one');
  });
});
