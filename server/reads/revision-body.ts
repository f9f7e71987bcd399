import 'server-only';
import { stringify } from 'yaml';
import { type RevisionBody } from '@/lib/api/workloads';
import { AppError } from '@/lib/errors';
import { isRawNumber, type Json, type JsonObject } from '@/lib/kube/json';
import { type Template } from '@/lib/workloads/workload';
import { type ReadContext } from '@/server/reads/context';
import { findRevision, findWorkload, type WorkloadRef } from '@/server/reads/find';
import { assertCan } from '@/server/reads/rights';
import { maskTemplate } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

/** What a rollback to the revision would put into the spec, masked values aside. */
export async function revisionBody(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  revisionRef: string,
): Promise<RevisionBody> {
  const { kind, workload, history } = await findWorkload(context, viewer, ref);
  await assertCan(context.cluster, viewer, 'get', kind.source.resource, ref.namespace);
  const revision = findRevision(history, workload, revisionRef);
  const template = requireBody(context, revision.source.bodyId);
  return {
    number: revision.number,
    id: revision.id,
    name: revision.name,
    template: maskTemplate(template, context.keys),
  };
}

/** The template of a body id; 404 when the revision was deleted a moment ago. */
export function requireBody({ cluster }: ReadContext, bodyId: string): Template {
  const template = cluster.cache.template(bodyId);
  if (template !== undefined) return template;
  throw new AppError('not_found', 'This revision has just been deleted. Reload the list of revisions.');
}

/** YAML as people read it: keys in the order of the API, no folded lines. */
export function toYaml(value: JsonObject): string {
  return stringify(withBigInts(value), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The printer knows bigint but not numbers that are kept as text. */
function withBigInts(value: Json | undefined): unknown {
  if (isRawNumber(value))
    return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(withBigInts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withBigInts(entry)]));
}
