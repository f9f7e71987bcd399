import 'server-only';
import { stringify } from 'yaml';
import type { Answer } from '@/lib/api/common';
import type { revisionBodySchema } from '@/lib/api/revisions';
import { AppError } from '@/lib/errors';
import { isRawNumber, type Json, type JsonObject } from '@/lib/kube/json';
import type { Masked } from '@/lib/masked';
import type { Template } from '@/lib/history/workload';
import type { ReadContext } from '@/server/views/context';
import { requireKind, type WorkloadName } from '@/server/views/find-workload';
import { type LocatedWorkload, locateWorkload } from '@/server/views/find-incarnation';
import {
  findAnyRevision,
  findRevisionOfDeleted,
  type FoundRevision,
  requireTemplate,
} from '@/server/views/find-revision';
import { assertCan } from '@/server/views/rights';
import { textFrom } from '@/server/shared/mask';
import type { Viewer } from '@/server/shared/viewer';

/** What a rollback to the revision would put into the spec, masked values aside. */
export async function revisionBody(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  revisionRef: string,
): Promise<Answer<typeof revisionBodySchema> & { template: Masked<JsonObject> }> {
  const located = await locateWorkload(context, viewer, ref);
  const { source } = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', source.resource, ref.namespace);
  const found = await findRevisionOf(context, located, revisionRef);
  const { id, name } = found.revision;
  const { number, template } = templateOfFound(context, found);
  return { number, id, name, template: await context.keys.mask.template(template) };
}

/** A revision of a workload by number or id, or by id for a deleted one. */
export function findRevisionOf(
  context: ReadContext,
  located: LocatedWorkload,
  ref: string,
): Promise<FoundRevision> {
  switch (located.kind) {
    case 'present':
      return findAnyRevision(context, located.view, ref);
    case 'past':
      return findRevisionOfDeleted(located.archive.revisions, located.incarnations, ref);
    default:
      return located satisfies never;
  }
}

/** Its number and template, unmasked. Throws AppError `not_found` where the template is not available. */
export function templateOfFound(
  context: ReadContext,
  found: FoundRevision,
): { number: number | null; template: Template } {
  switch (found.kind) {
    case 'retained': {
      const { number, source } = found.revision;
      return { number, template: requireBody(context, source.bodyId) };
    }
    case 'archived':
      return { number: found.number, template: requireTemplate(found) };
    default:
      return found satisfies never;
  }
}

/** The template of a body id; 404 when the revision was deleted a moment ago. */
export function requireBody({ cluster }: ReadContext, bodyId: string): Template {
  const template = cluster.cache.template(bodyId);
  if (template !== undefined) return template;
  const problem = cluster.cache.templateProblem(bodyId);
  if (problem !== null) throw new AppError('not_found', `The template is not available. ${problem}`);
  throw new AppError('not_found', 'This revision was just deleted. Reload the page.');
}

/** YAML for readers: keys in the order of the API, no folded lines. */
export function toYaml(value: Masked<JsonObject>): Masked<string> {
  return textFrom(value, (masked) =>
    stringify(withBigInts(masked), { lineWidth: 0, aliasDuplicateObjects: false }),
  );
}

/** The printer knows bigint but not numbers that are stored as text. */
function withBigInts(value: Json | undefined): unknown {
  if (isRawNumber(value))
    return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(withBigInts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withBigInts(entry)]));
}
