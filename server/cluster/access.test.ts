import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { type Json } from '@/lib/kube/json';
import { AccessReviews, type AccessQuestion } from '@/server/cluster/access';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { type KubeRequest } from '@/server/cluster/kube-request';
import { type Viewer } from '@/server/shared/viewer';

const ann: Viewer = {
  id: 'ann',
  name: 'Ann',
  impersonate: { user: 'ann', groups: ['dev'] },
  isProcess: false,
};
const bob: Viewer = { id: 'bob', name: 'Bob', impersonate: { user: 'bob' }, isProcess: false };
const self: Viewer = { id: 'self', name: 'kubeconfig', isProcess: true };
const list: AccessQuestion = { verb: 'list', group: 'apps', resource: 'deployments' };

interface Attributes {
  namespace?: string;
  name?: string;
}

function setUp(decide: (attributes: Attributes, user: string) => boolean | Error, capacity?: number) {
  const known: { outage: AppError | undefined } = { outage: undefined };
  const clock = new VirtualClock();
  const asked: string[] = [];
  const server = { decide };
  const transport = {
    async json(request: KubeRequest): Promise<Json> {
      await Promise.resolve();
      const { spec } = JSON.parse(request.body ?? '') as { spec: { resourceAttributes: Attributes } };
      const { namespace = '*', name = '*' } = spec.resourceAttributes;
      const user = request.impersonate?.user ?? 'process';
      asked.push(`${user} ${namespace}/${name}`);
      const answer = server.decide(spec.resourceAttributes, user);
      if (answer instanceof Error) throw answer;
      return { status: answer ? { allowed: true } : { allowed: false, reason: 'RBAC: no' } };
    },
  };
  const reviews = new AccessReviews({
    ...{ transport, clock, outage: () => known.outage },
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
    async json({ impersonate }: KubeRequest): Promise<Json> {
      asked += 1;
      const user = impersonate?.user ?? 'process';
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
  return { reviews: new AccessReviews({ transport }), max, answerAll, asked: () => asked };
}

test('sends at most 20 reviews of one viewer at once, and 100 in total', async () => {
  const { reviews, max, answerAll, asked } = held();
  const namespaces = Array.from({ length: 50 }, (_, index) => `preview-${index}`);
  const viewers = Array.from({ length: 10 }, (_, index): Viewer => {
    const user = `dev-${index}`;
    return { id: user, name: user, impersonate: { user }, isProcess: false };
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
  const reviews = new AccessReviews({
    transport: { json: () => Promise.resolve({ status: { allowed: 'yes' } }) },
  });
  await expect(reviews.can(ann, list)).rejects.toThrow(/another object/);
});

test('the API server decides who the viewer is', async () => {
  const userInfo = { username: 'ann@example.org', uid: '7', groups: ['dev', 'system:authenticated'] };
  const requests: KubeRequest[] = [];
  const reviews = new AccessReviews({
    transport: {
      json: (request) => {
        requests.push(request);
        return Promise.resolve({ status: { userInfo } });
      },
    },
  });
  expect(await reviews.whoAmI(ann)).toEqual({ name: 'ann@example.org', uid: '7', groups: userInfo.groups });
  expect(requests[0]).toMatchObject({ method: 'POST', impersonate: ann.impersonate });
});
