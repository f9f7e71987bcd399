import { expect, test } from 'vitest';
import type { Revision } from '@/lib/history/revision';
import type { ArchivedRevision } from '@/lib/api/incarnation';
import { withOwnCause } from '@/server/reads/revision-entries';

const seen = (id: string, changeCause: string | null, causeInheritedFrom: number | null = null) =>
  ({ id, changeCause, causeInheritedFrom }) as Revision;
const known = ([one, two]: (string | null)[]) =>
  [
    { id: 'one', numbers: [1], changeCause: one },
    { id: 'two', numbers: [2], changeCause: two },
  ] as unknown as ArchivedRevision[];

test.each<[string, Revision, (string | null)[], string | null, number | null]>([
  [
    'nothing of the cause of the next one, which was copied to it',
    seen('one', 'to two'),
    [null, 'to two'],
    null,
    null,
  ],
  [
    'its own, where the next one was copied over it',
    seen('one', 'to two'),
    ['to one', 'to two'],
    'to one',
    null,
  ],
  ['its own, which it does not repeat', seen('two', 'to two', 1), [null, 'to two'], 'to two', null],
  ['what it repeats', seen('two', 'to one', 1), ['to one', 'to one'], 'to one', 1],
  ['what is new', seen('one', 'edited'), ['to one', 'to two'], 'edited', null],
  [
    'what the workload bore for it, where its object bears nothing',
    seen('one', null),
    ['to one', null],
    'to one',
    null,
  ],
  [
    'what stands there, where the archive has never seen it',
    seen('three', 'to two', 2),
    [null, 'to two'],
    'to two',
    2,
  ],
])('a revision tells as its cause %s', (_, revision, causes, changeCause, causeInheritedFrom) => {
  expect(withOwnCause(revision, known(causes))).toMatchObject({ changeCause, causeInheritedFrom });
});
