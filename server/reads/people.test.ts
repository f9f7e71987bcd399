import { expect, test, vi } from 'vitest';
import type { Archive } from '@/server/archive/archive';
import { listPeople } from '@/server/reads/people';
import type { SharedContext } from '@/server/views/context';
import { Keys } from '@/server/shared/keys';
import { viewerNamed } from '@/server/shared/testing/viewers';

const names = vi.fn((_text: string, _limit: number) => Promise.resolve(['ana', 'ben']));
const context: SharedContext = {
  keys: new Keys(Buffer.alloc(32, 7)),
  config: {},
  archive: { people: { names } } as unknown as Archive,
  now: Date.now,
};

test('a person who has signed in finds the others by a part of their names', async () => {
  const found = await listPeople(context, viewerNamed('ana'), { q: ' n ', limit: 5 });
  expect(found.items.map(({ name }) => String(name))).toEqual(['ana', 'ben']);
  expect(names).toHaveBeenCalledWith('n', 5);
});

test('an anonymous viewer learns no names', async () => {
  const anonymous = { ...viewerNamed('anonymous'), readOnly: 'anonymous' } as const;
  expect(await listPeople(context, anonymous, { limit: 20 })).toEqual({ items: [] });
});
