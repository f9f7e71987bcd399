import { expect, test } from 'vitest';
import type { z } from 'zod';
import { archivedActionSchema } from '@/lib/api/action';
import { activationSchema, archivedRevisionSchema, incarnationSchema } from '@/lib/api/incarnation';
import { rolloutRecordSchema } from '@/lib/api/record';
import { commentSchema, reviewSchema } from '@/lib/api/review';
import type { Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';

const documents = {
  activation: activationSchema,
  action: archivedActionSchema,
  comment: commentSchema,
  incarnation: incarnationSchema,
  record: rolloutRecordSchema,
  review: reviewSchema,
  revision: archivedRevisionSchema,
};

/** The parts of stored documents that answers show with all their members. The rest is picked by name. */
const shownWhole = {
  'action.action':
    'id cluster action resource namespace name uid actor reason from to fromId toId toOrigin toHash toStored step label ' +
    'group rollout state startedAt endedAt message recordedAs progress unanswered undoneBy',
  'action.action.progress': 'desired updated ready',
  'action.action.rollout': 'resource name',
  'action.action.step': 'from to',
  'action.findings': 'code message',
  'record.actor': 'name source manager',
  'record.events': 'at reason message object count',
  'record.images': 'container image',
  'record.progressiveRollout.jumps': 'from to at',
  'record.progressiveRollout.plan': 'index replicas traffic pause',
  'record.progressiveRollout.plan.pause(1)': 'kind',
  'record.progressiveRollout.plan.pause(2)': 'kind',
  'record.progressiveRollout.plan.pause(3)': 'kind seconds',
  'record.progressiveRollout.plan.traffic(1)': 'kind percent',
  'record.progressiveRollout.plan.traffic(2)': 'kind rules',
  'record.progressiveRollout.routes': 'kind name',
  'record.progressiveRollout.unassigned': 'name uid ip node readyAt restarts group',
  'record.samples': 'at byRevision',
  'record.spans': 'kind waitsFor hasFailed from to reason reasonAt',
  'record.steps.pods': 'name uid ip node readyAt restarts group',
  'record.steps.removed': 'name uid hash goneAt',
  'record.unwatched': 'from to',
  'review.followUp': 'person due',
  'review.history.followUp': 'person due',
  'revision.images': 'container image',
};

test('a new member of what is stored is private until it is named, by an answer or in this list', () => {
  const answers = Object.values<Route>(routes).flatMap(({ answer }) => [...shapesIn(answer)]);
  const shapes = new Set(answers.map(([, shape]) => shape));
  const shown: Record<string, string> = {};
  for (const [document, schema] of Object.entries(documents))
    for (const [path, shape] of shapesIn(schema, document))
      if (shapes.has(shape)) shown[path] = Object.keys(shape).join(' ');
  expect(shown).toStrictEqual(shownWhole);
});

/** The objects in a schema, each with its path. */
function* shapesIn(schema: z.core.$ZodType, path = ''): Generator<[string, z.core.$ZodShape]> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      yield [path, def.shape];
      for (const [name, member] of Object.entries(def.shape)) yield* shapesIn(member, `${path}.${name}`);
      return;
    case 'array':
      yield* shapesIn(def.element, path);
      return;
    case 'nullable':
    case 'optional':
      yield* shapesIn(def.innerType, path);
      return;
    case 'union':
      for (const [index, option] of def.options.entries()) yield* shapesIn(option, `${path}(${index + 1})`);
      return;
    default:
  }
}
