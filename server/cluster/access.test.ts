import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import { AccessReviews, type AccessQuestion } from '@/server/cluster/access';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { BearerToken } from '@/server/shared/bearer-token';
import type { Viewer } from '@/server/shared/viewer';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';

const ann: Viewer = {
  id: 'ann',
  name: 'Ann',
  credential: { kind: 'impersonate', user: 'ann', groups: ['dev'] },
  isProcess: false,
};
const bob = viewerNamed('bob');
const self = processViewer('kubeconfig');
const list: AccessQuestion = { verb: 'list', group: 'apps', resource: 'deployments' };

const tokenOf = (name: string): Viewer => ({
  ...viewerNamed(name),
  credential: { kind: 'token', token: new BearerToken(name) },
});

interface Attributes {
  verb: string;
  namespace?: string;
  name?: string;
}

interface Review {
  spec: { resourceAttributes: Attributes; user?: string };
}

function setUp(decide: (attributes: Attributes, user: string) => boolean | Error, capacity?: number) {
  const known: { outage: AppError | undefined } = { outage: undefined };
  const clock = new VirtualClock();
  const asked: string[] = [];
  const server = { decide };
  const transportOf = (sender: string) => ({
    async json(request: KubeRequest): Promise<Json> {
      await Promise.resolve();
      const { spec } = JSON.parse(request.body ?? '') as Review;
      const { namespace = '*', name = '*' } = spec.resourceAttributes;
      const user = spec.user ?? sender;
      asked.push(`${user} ${namespace}/${name}`);
      const answer = server.decide(spec.resourceAttributes, user);
      if (answer instanceof Error) throw answer;
      return { status: answer ? { allowed: true } : { allowed: false, reason: 'RBAC: no' } };
    },
  });
  const reviews = new AccessReviews({
    transport: transportOf('process'),
    transportFor: ({ name }) => transportOf(name),
    ...{ clock, outage: () => known.outage },
    ...(capacity === undefined ? {} : { capacity }),
  });
  return { reviews, clock, asked, server, known };
}

const away = new AppError('cluster_unreachable', 'gone');

test('a cluster-wide right answers for every namespace with one review', async () => {
  const { reviews, asked } = setUp(() => true);
  for (const namespace of ['a', 'b', 'c']) {
    expect(await reviews.can(ann, { ...list, namespace })).toEqual({ allowed: true });
  }
  expect(asked).toEqual(['ann */*']);
});

test('without a cluster-wide right, reviews the namespace, then the name', async () => {
  const { reviews, asked } = setUp(({ namespace, name }) => namespace === 'shop' && name === 'cart');
  expect(await reviews.can(ann, { ...list, verb: 'get', namespace: 'shop', name: 'cart' })).toEqual({
    allowed: true,
  });
  expect(asked).toEqual(['ann */*', 'ann shop/*', 'ann shop/cart']);
  expect(await reviews.can(ann, { ...list, namespace: 'pay' })).toEqual({
    allowed: false,
    reason: 'RBAC: no',
  });
});

test('shares one review between concurrent identical questions, and repeats it after a minute', async () => {
  const { reviews, clock, asked } = setUp(() => true);
  await Promise.all(Array.from({ length: 10 }, () => reviews.can(ann, list)));
  await clock.advance(59_000);
  await reviews.can(ann, list);
  expect(asked.length).toBe(1);
  await clock.advance(2_000);
  await reviews.can(ann, list);
  expect(asked.length).toBe(2);
});

test('renews what many viewers use at 20 reviews a second, before it expires', async () => {
  const { reviews, clock, asked } = setUp(() => true);
  const viewers = Array.from({ length: 500 }, (_, index) => viewerNamed(`dev-${index}`));
  const all = () => Promise.all(viewers.map((viewer) => reviews.can(viewer, list)));
  await all();
  const [end, step] = [180_000, 1_000];
  for (let now = 0; now < end; now += step) {
    const before = asked.length;
    await clock.advance(step);
    await all();
    expect(asked.length - before).toBeLessThanOrEqual(20);
  }
  expect(asked.length).toBeGreaterThanOrEqual(viewers.length * Math.floor(end / 60_000));
});

test('renews no allow that is no longer used, and no denial', async () => {
  const { reviews, clock, asked, server } = setUp(() => true);
  await reviews.can(ann, list);
  await clock.advance(50_000);
  expect(asked.length).toBe(1);
  server.decide = () => false;
  await reviews.can(bob, list);
  await clock.advance(40_000);
  await reviews.can(bob, list);
  await clock.advance(10_000);
  expect(asked.length).toBe(2);
});

test('honors a withdrawn right for at most a minute', async () => {
  const { reviews, clock, server } = setUp(() => true);
  expect((await reviews.can(ann, list)).allowed).toBe(true);
  server.decide = () => false;
  await clock.advance(61_000);
  expect((await reviews.can(ann, list)).allowed).toBe(false);
  server.decide = () => away;
  await clock.advance(61_000);
  await expect(reviews.can(ann, list)).rejects.toBe(away);
});

test('never answers one viewer with the rights of another', async () => {
  const { reviews, server } = setUp((_attributes, user) => user === 'ann');
  expect((await reviews.can(ann, list)).allowed).toBe(true);
  expect((await reviews.can(bob, list)).allowed).toBe(false);
  server.decide = () => away;
  await expect(reviews.can(bob, { ...list, verb: 'watch' })).rejects.toBe(away);
});

test.each([
  away,
  new AppError('timeout', 'slow'),
  new AppError('cluster_error', 'API server: etcd', { status: 500 }),
])(
  'honors the last allow for ten minutes while the API server is unreachable ($message)',
  async (failure) => {
    const { reviews, clock, server } = setUp(() => true);
    await reviews.can(ann, list);
    await reviews.can(self, list);
    server.decide = () => failure;
    await clock.advance(599_000);
    expect((await reviews.can(ann, list)).allowed).toBe(true);
    await clock.advance(2_000);
    await expect(reviews.can(ann, list)).rejects.toBe(failure);
    await clock.advance(7_200_000);
    expect((await reviews.can(self, list)).allowed).toBe(true);
    await expect(reviews.can(self, { ...list, verb: 'patch' })).rejects.toBe(failure);
  },
);

test('an allow for a namespace outlives an outage though the wider scope was denied', async () => {
  const { reviews, clock, server } = setUp(({ namespace }) => namespace === 'shop');
  await reviews.can(ann, { ...list, namespace: 'shop' });
  server.decide = () => away;
  await clock.advance(61_000);
  expect((await reviews.can(ann, { ...list, namespace: 'shop' })).allowed).toBe(true);
  await expect(reviews.can(ann, { ...list, namespace: 'pay' })).rejects.toBe(away);
});

test('allows the process itself what it listed even when no review is possible', async () => {
  const { reviews, server } = setUp(() => true);
  server.decide = () => away;
  expect(await reviews.can(self, list)).toEqual({ allowed: true });
  await expect(reviews.can(ann, list)).rejects.toBe(away);
  await expect(reviews.can(self, { ...list, subresource: 'log' })).rejects.toBe(away);
});

test('sends no page to wait for a review during a known outage', async () => {
  const { reviews, clock, asked, known } = setUp(() => true);
  await reviews.can(ann, list);
  known.outage = away;
  await clock.advance(61_000);
  expect((await reviews.can(ann, list)).allowed).toBe(true);
  expect(asked.length).toBe(1);
  known.outage = undefined;
  await reviews.can(ann, list);
  expect(asked.length).toBe(2);
});

test('a rejected review is no outage', async () => {
  const refusal = new AppError('unauthorized', 'API server: Unauthorized', { status: 401 });
  const { reviews, clock, server } = setUp(() => true);
  await reviews.can(ann, list);
  server.decide = () => refusal;
  await clock.advance(61_000);
  await expect(reviews.can(ann, list)).rejects.toBe(refusal);
});

test('waits for one failed review per page during an outage, not for each', async () => {
  const { reviews, clock, server, asked } = setUp(() => true);
  const questions = ['a', 'b', 'c'].map((verb) => ({ ...list, verb }));
  for (const question of questions) await reviews.can(ann, question);
  server.decide = () => away;
  await clock.advance(61_000);
  asked.length = 0;
  for (const question of questions) expect((await reviews.can(ann, question)).allowed).toBe(true);
  expect(asked.length).toBe(1);
  server.decide = () => false;
  await clock.advance(3_000);
  expect((await reviews.can(ann, list)).allowed).toBe(false);
});

test('bounds its cache', async () => {
  const { reviews, asked } = setUp(() => true, 2);
  for (const verb of ['a', 'b', 'c', 'a']) await reviews.can(ann, { ...list, verb });
  expect(asked.length).toBe(4);
});

/** An API server that answers with what it decides at the end of its latency. */
function slowly(latencyMs: number) {
  const clock = new VirtualClock();
  const server = { latencyMs, decide: (_question: Attributes): boolean | Error => true };
  const asked: string[] = [];
  const transport = {
    async json({ body, timeoutMs = Infinity }: KubeRequest): Promise<Json> {
      const { spec } = JSON.parse(body ?? '') as { spec: { resourceAttributes: Attributes } };
      asked.push(spec.resourceAttributes.namespace ?? '*');
      const { latencyMs: takesMs } = server;
      if (takesMs > 0) await clock.sleep(Math.min(takesMs, timeoutMs), new AbortController().signal);
      if (takesMs > timeoutMs) throw new AppError('timeout', 'slow');
      const answer = server.decide(spec.resourceAttributes);
      if (answer instanceof Error) throw answer;
      return { status: { allowed: answer } };
    },
  };
  const reviews = new AccessReviews({ transport, transportFor: () => transport, clock });
  /** The answer, and how long it took. */
  async function timed(viewer: Viewer, question: AccessQuestion) {
    const begunAt = clock.now();
    let result: { allowed: boolean } | { error: unknown } | undefined;
    void reviews.can(viewer, question).then(
      ({ allowed }) => (result = { allowed }),
      (error: unknown) => (result = { error }),
    );
    await clock.until(() => result !== undefined);
    return { ...result, ms: clock.now() - begunAt };
  }
  return { reviews, clock, server, asked, timed };
}

test.each([
  { verb: 'list', ms: 250 },
  { verb: 'get', ms: 250 },
  { verb: 'watch', ms: 250 },
  { verb: 'patch', ms: 3_000 },
  { verb: 'create', ms: 3_000 },
])('waits for a slow review of $verb for $ms ms where there is an earlier allow', async ({ verb, ms }) => {
  const { clock, server, asked, timed } = slowly(0);
  const question = { ...list, verb, namespace: 'shop' };
  await timed(ann, question);
  await clock.advance(61_000);
  server.latencyMs = 3_000;
  expect(await timed(ann, question)).toEqual({ allowed: true, ms });
  await clock.advance(4_000);
  expect(await timed(ann, question)).toEqual({ allowed: true, ms: 0 });
  expect(asked).toEqual(['*', '*']);
});

test('a page of many questions waits for a slow review once', async () => {
  const { clock, server, timed } = slowly(0);
  const questions = ['a', 'b', 'c'].map((resource) => ({ ...list, resource, namespace: 'shop' }));
  server.decide = ({ namespace }) => namespace !== undefined;
  for (const question of questions) await timed(ann, question);
  await clock.advance(61_000);
  server.latencyMs = 3_000;
  const answers = [];
  for (const question of questions) answers.push(await timed(ann, question));
  expect(answers.map(({ ms }) => ms)).toEqual([250, 0, 0]);
  expect(answers.every((answer) => 'allowed' in answer && answer.allowed)).toBe(true);
});

test('without an earlier answer waits for the review, but for the cache of the process itself', async () => {
  const { timed } = slowly(3_000);
  expect(await timed(ann, list)).toEqual({ allowed: true, ms: 3_000 });
  expect(await timed(self, list)).toEqual({ allowed: true, ms: 250 });
  expect(await timed(self, { ...list, subresource: 'log' })).toEqual({ allowed: true, ms: 3_000 });
});

test('a slow deny or rejection ends an earlier allow as soon as it arrives', async () => {
  for (const [answer, after] of [
    [false, { allowed: false, ms: 0 }],
    [new AppError('unauthorized', 'Unauthorized', { status: 401 }), { ms: 3_000 }],
  ] as const) {
    const { clock, server, timed } = slowly(0);
    await timed(ann, list);
    await clock.advance(61_000);
    server.latencyMs = 3_000;
    server.decide = () => answer;
    expect(await timed(ann, list)).toEqual({ allowed: true, ms: 250 });
    await clock.advance(4_000);
    expect(await timed(ann, list)).toMatchObject(after);
  }
});

test('allows nothing that was not allowed in the last ten minutes, and no reader with such an allow waits', async () => {
  const step = fc.record({
    waitMs: fc.constantFrom(0, 1_000, 30_000, 61_000, 300_000, 601_000),
    latencyMs: fc.constantFrom(0, 100, 1_000, 4_000, 20_000),
    verb: fc.constantFrom('list', 'patch'),
    namespace: fc.constantFrom('shop', 'pay', undefined),
    allowed: fc.subarray(['*', 'shop', 'pay']),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { clock, server, timed } = slowly(0);
      const answered = new Map<string, { allowed: boolean; at: number }>();
      let granted: readonly string[] = [];
      server.decide = ({ verb, namespace = '*' }) => {
        const allowed = granted.includes(namespace);
        answered.set(`${verb} ${namespace}`, { allowed, at: clock.now() });
        return allowed;
      };
      for (const { waitMs, latencyMs, verb, namespace, allowed } of steps) {
        await clock.advance(waitMs);
        server.latencyMs = latencyMs;
        granted = allowed;
        const begunAt = clock.now();
        const isAllowedAt = (now: number) =>
          ['*', namespace].some((scope) => {
            const last = answered.get(`${verb} ${scope}`);
            return last?.allowed === true && now - last.at < 600_000;
          });
        const couldRead = verb === 'list' && isAllowedAt(begunAt);
        const result = await timed(ann, { ...list, verb, ...(namespace !== undefined && { namespace }) });
        if ('allowed' in result && result.allowed)
          expect(isAllowedAt(begunAt) || isAllowedAt(clock.now())).toBe(true);
        if (couldRead) expect(result.ms).toBeLessThanOrEqual(250);
      }
    }),
    { numRuns: 60 },
  );
});

/**
 * Reviews that are answered one after the other, when the test requests it; `flying` counts the pending ones
 * by user.
 */
function held() {
  const flying = new Map<string, number>();
  const answers: (() => void)[] = [];
  const max = { viewer: 0, all: 0 };
  let asked = 0;
  const transport = {
    async json({ body = '' }: KubeRequest): Promise<Json> {
      asked += 1;
      const { user = '' } = (JSON.parse(body) as Review).spec;
      flying.set(user, (flying.get(user) ?? 0) + 1);
      max.viewer = Math.max(max.viewer, ...flying.values());
      max.all = Math.max(
        max.all,
        [...flying.values()].reduce((sum, count) => sum + count, 0),
      );
      await new Promise<void>((resolve) => answers.push(resolve));
      flying.set(user, (flying.get(user) ?? 0) - 1);
      return { status: { allowed: false } };
    },
  };
  async function answerAll(): Promise<void> {
    await nextTurn();
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await nextTurn();
    }
  }
  const reviews = new AccessReviews({ transport, transportFor: () => transport });
  return { reviews, max, answerAll, asked: () => asked };
}

test('sends at most 20 reviews of one viewer at once, and 100 in total', async () => {
  const { reviews, max, answerAll, asked } = held();
  const namespaces = Array.from({ length: 50 }, (_, index) => `preview-${index}`);
  const viewers = Array.from({ length: 10 }, (_, index): Viewer => {
    const user = `dev-${index}`;
    return viewerNamed(user);
  });
  const answers = Promise.all(
    viewers.flatMap((viewer) => namespaces.map((namespace) => reviews.can(viewer, { ...list, namespace }))),
  );
  await answerAll();
  expect((await answers).every(({ allowed }) => !allowed)).toBe(true);
  expect(max).toEqual({ viewer: 20, all: 100 });
  expect(asked()).toBe(10 * 51);
});

test('a failed review of one viewer does not affect another', async () => {
  const slow = new AppError('rate_limited', 'API server: too many requests', { status: 429 });
  const { reviews, asked } = setUp((_attributes, user) => (user === 'ann' ? slow : true));
  await expect(reviews.can(ann, list)).rejects.toBe(slow);
  expect((await reviews.can(bob, list)).allowed).toBe(true);
  await expect(reviews.can(ann, { ...list, verb: 'get' })).rejects.toBe(slow);
  expect(asked).toEqual(['ann */*', 'bob */*']);
});

test('an answer to one viewer does not end the back-off of another', async () => {
  const { reviews, asked } = setUp((_attributes, user) => (user === 'ann' ? away : true));
  await expect(reviews.can(ann, list)).rejects.toBe(away);
  await reviews.can(bob, list);
  await expect(reviews.can(ann, list)).rejects.toBe(away);
  expect(asked).toEqual(['ann */*', 'bob */*']);
});

test('does not send the queued reviews after one failed', async () => {
  const { reviews, asked } = setUp(({ namespace }) => (namespace === undefined ? false : away));
  await reviews.can(ann, list);
  const questions = Array.from({ length: 500 }, (_, index) => ({ ...list, namespace: `n${index}` }));
  const answers = await Promise.allSettled(questions.map((question) => reviews.can(ann, question)));
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
  expect(asked.length).toBe(1 + 20);
});

test('many questions of one viewer do not evict the answers of another', async () => {
  const { reviews, asked } = setUp(() => true, 2);
  await reviews.can(bob, list);
  for (const verb of ['a', 'b', 'c']) await reviews.can(ann, { ...list, verb });
  asked.length = 0;
  await reviews.can(bob, list);
  expect(asked).toEqual([]);
});

test('an answer that is no review is an error, never an allow', async () => {
  const transport = { json: () => Promise.resolve({ status: { allowed: 'yes' } }) };
  const reviews = new AccessReviews({ transport, transportFor: () => transport });
  await expect(reviews.can(ann, list)).rejects.toThrow(/another object/);
});

/** Records who sends each review. */
function sent(answer: Json) {
  const requests: { by: string; path: string; body: unknown }[] = [];
  const transportOf = (by: string) => ({
    json: ({ path, body = '' }: KubeRequest) => {
      requests.push({ by, path, body: JSON.parse(body) as unknown });
      return Promise.resolve(answer);
    },
  });
  const reviews = new AccessReviews({
    transport: transportOf('process'),
    transportFor: ({ name }) => transportOf(name),
  });
  return { reviews, requests };
}

test('the API server decides who the viewer is, asked with their credential', async () => {
  const userInfo = { username: 'ann@example.org', uid: '7', groups: ['dev', 'system:authenticated'] };
  const { reviews, requests } = sent({ status: { userInfo } });
  for (const viewer of [ann, tokenOf('eve'), self])
    expect(await reviews.whoAmI(viewer)).toEqual({
      name: 'ann@example.org',
      uid: '7',
      groups: userInfo.groups,
    });
  expect(requests.map(({ by }) => by)).toEqual(['Ann', 'eve', 'kubeconfig']);
  expect(requests[0]?.path).toBe('/apis/authentication.k8s.io/v1/selfsubjectreviews');
});

test('asks about an impersonated viewer as the process, with the group that the API server adds', async () => {
  const { reviews, requests } = sent({ status: { allowed: true } });
  const identity = { user: 'ann', groups: ['dev'], uid: '7', extra: { 'example.org/team': ['a'] } };
  await reviews.can({ ...ann, credential: { kind: 'impersonate', ...identity } }, list);
  expect(requests).toEqual([
    {
      by: 'process',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { ...identity, groups: ['dev', 'system:authenticated'], resourceAttributes: list },
      },
    },
  ]);
});

test('asks about every other viewer with their own credential', async () => {
  const { reviews, requests } = sent({ status: { allowed: true } });
  for (const viewer of [tokenOf('eve'), self]) await reviews.can(viewer, list);
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: list },
  };
  expect(requests).toEqual([
    { by: 'eve', path, body },
    { by: 'kubeconfig', path, body },
  ]);
});

test('asks nothing about an identity that is not impersonated', async () => {
  const { reviews, requests } = sent({ status: { allowed: true } });
  const masters: Viewer = {
    ...ann,
    credential: { kind: 'impersonate', user: 'ann', groups: ['system:masters'] },
  };
  await expect(reviews.can(masters, list)).rejects.toMatchObject({ code: 'forbidden' });
  expect(requests).toEqual([]);
});
