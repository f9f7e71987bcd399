import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { revisionManifestSchema } from '@/lib/api/revisions';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { RevisionSource } from '@/lib/history/workload';
import { unpackSpec } from '@/server/cluster/unpack';
import type { ReadContext } from '@/server/views/context';
import { findWorkload, type WorkloadName } from '@/server/views/find-workload';
import { findAnyRevision, type RevisionLookup } from '@/server/views/find-revision';
import { toYaml } from '@/server/reads/revision-body';
import { assertCan } from '@/server/views/rights';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

/**
 * The object that carries a revision, or one that its owner retains next to its revisions, read from the API server as
 * the viewer; credentials in it are masked. `revisionRef` is a number, an id or the name of the object.
 */
export async function revisionManifest(
  { cluster, keys, ...rest }: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  revisionRef: string,
): Promise<Answer<typeof revisionManifestSchema>> {
  const view = await findWorkload({ cluster, keys, ...rest }, viewer, ref);
  const { kind } = view;
  await assertCan(cluster, viewer, 'get', kind.source.resource, ref.namespace);
  const source = await sourceOf(view, revisionRef, { cluster, archive: rest.archive ?? null });
  const { object, summary } = await cluster.readSource(viewer, kind, source.namespace, source.name);
  if (summary.uid !== source.uid)
    throw new AppError('not_found', `${source.name} was replaced by another object. Reload the page.`);
  return { name: source.name, yaml: toYaml(await keys.mask.template(manifestOf(object))) };
}

async function sourceOf(view: WorkloadView, ref: string, lookup: RevisionLookup): Promise<RevisionSource> {
  const { history } = view;
  const sources = [...history.revisions.map(({ source }) => source), ...(history.stored ?? [])];
  const named = sources.find(({ name, uid }) => name === ref || uid === ref);
  if (named !== undefined) return named;
  const found = await findAnyRevision(lookup, view, ref);
  if (found.kind === 'retained') return found.revision.source;
  throw new AppError(
    'not_found',
    `Revision ${ref} of ${view.workload.name} was pruned from the cluster, so it has no manifest. Its template is in the archive.`,
    { revision: ref },
  );
}

/** Decompressed, since masking needs readable content. */
function decompressSpec(spec: JsonObject): JsonObject {
  return unpackSpec(spec) ?? {};
}

/** Without what only the API server writes. */
function manifestOf(object: KubeObject): JsonObject {
  const { apiVersion, kind, metadata, revision, ...others } = object;
  const { name, namespace, uid, creationTimestamp, labels, annotations, ownerReferences } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      creationTimestamp,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(ownerReferences && { ownerReferences: ownerReferences.map((owner) => ({ ...owner })) }),
    },
    ...(revision !== undefined && { revision }),
    ...others,
    ...(others.spec !== undefined && { spec: decompressSpec(others.spec) }),
  };
}
