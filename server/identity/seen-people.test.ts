import { expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import { withSeenPeople } from '@/server/identity/seen-people';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import { Keys } from '@/server/shared/keys';
import { viewerNamed } from '@/server/shared/testing/viewers';
import type { PersonFacts } from '@/server/shared/viewer';

const { mask } = new Keys(Buffer.alloc(32, 7));
const START_MS = Date.parse('2026-11-28T12:00:00Z');
const request = new Request('http://localhost:8440/');

function seen(viewer = viewerNamed('ana'), failure?: AppError, others: readonly PersonFacts[] = []) {
  const saw = vi.fn(() => (failure === undefined ? Promise.resolve() : Promise.reject(failure)));
  const at = { nowMs: START_MS, isOpen: true };
  const identity = withSeenPeople(
    fixedIdentity(() => viewer),
    {
      repository: () => (at.isOpen ? { saw } : null),
      namesOf: (person) => [person, ...others],
      mask,
      now: () => at.nowMs,
    },
  );
  return { saw, at, personOf: () => identity.personOf(request) };
}

test('a person is noted with the first request, and again after an hour', async () => {
  const { saw, at, personOf } = seen();
  const person = await personOf();
  await personOf();
  expect(saw.mock.calls).toEqual([[{ id: person.id, name: 'ana' }, START_MS]]);
  at.nowMs += 3_600_000;
  await personOf();
  expect(saw).toHaveBeenCalledTimes(2);
});

test('an archive that is away delays no request and fails none', async () => {
  const { saw, at, personOf } = seen(viewerNamed('ana'), new AppError('archive_unavailable', 'Away.'));
  at.isOpen = false;
  expect((await personOf()).name).toBe('ana');
  at.isOpen = true;
  expect((await personOf()).name).toBe('ana');
  expect((await personOf()).name).toBe('ana');
  expect(saw).toHaveBeenCalledTimes(1);
});

test('a person is noted by each name that clusters know them by, and not before these are known', async () => {
  const others: PersonFacts[] = [{ ...viewerNamed('ana-admin', 'user:ana-admin') }, viewerNamed('ana')];
  const context = { ...viewerNamed('kind', 'context:kind'), isGuessed: true };
  const { saw, personOf } = seen(context, undefined, others);
  await personOf();
  expect(saw.mock.calls).toEqual([
    [{ id: 'user:ana-admin', name: 'ana-admin' }, START_MS],
    [{ id: 'ana', name: 'ana' }, START_MS],
  ]);
  const unknown = seen(context);
  await unknown.personOf();
  expect(unknown.saw).not.toHaveBeenCalled();
});

test('a viewer without a name of their own is no person', async () => {
  const { saw, personOf } = seen({ ...viewerNamed('anonymous'), readOnly: 'anonymous' });
  await personOf();
  expect(saw).not.toHaveBeenCalled();
});
