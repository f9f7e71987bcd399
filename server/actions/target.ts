import 'server-only';
import { AppError } from '@/lib/errors';
import { type Revision } from '@/lib/history/revision';
import { canonicalJson } from '@/lib/kube/json';
import { retainedTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/summarise';
import { called } from '@/lib/workloads/words';
import { type Template } from '@/lib/workloads/workload';
import { archivedTarget } from '@/server/actions/archived-target';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { type Present } from '@/server/actions/present';
import { hashOfText } from '@/server/archive/bodies';
import { type FoundRevision, findAnyRevision } from '@/server/reads/find-revision';
import { unpack } from '@/server/cluster/unpack';
import { findRevision } from '@/server/reads/find';
import { assertCan } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/** What a rollback goes to. */
export interface Target {
  /** With the history in which the target stands as it is now. */
  present: Present;
  to: RollbackTarget;
  /** Without what controllers add to it. */
  template: Template;
  /** Stands for what the template means. */
  seen: string;
}

/**
 * The revision of a number or id with its template: as its source object holds it at this moment, read as the viewer,
 * or, when the cluster no longer has it, as the archive does. Rejects with AppError: `not_found`, `ambiguous`,
 * `forbidden`; `refused` where the archive has the revision but no template that may be written;
 * `archive_unavailable` where only the archive could tell.
 */
export async function findTarget(
  context: ActionsContext,
  viewer: Viewer,
  present: Present,
  attempt: Attempt,
  ref: string,
): Promise<Target> {
  const retained = tryRetained(present, ref);
  if (retained instanceof AppError) return fromArchive(context, viewer, present, attempt, ref, retained);
  try {
    return await fromCluster(context, viewer, present, attempt, retained);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    // It has just been pruned, and the cache has not heard of it.
    return fromArchive(context, viewer, without(present, retained), attempt, retained.id, error);
  }
}

function tryRetained({ history, workload }: Present, ref: string): Revision | AppError {
  try {
    return findRevision(history, workload, ref);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return error;
    throw error;
  }
}

async function fromCluster(
  context: ActionsContext,
  viewer: Viewer,
  present: Present,
  attempt: Attempt,
  known: Revision,
): Promise<Target> {
  const { cluster, keys } = context;
  const { kind, workload } = present;
  const { object, summary } = await cluster.readSource(viewer, kind, known.source.namespace, known.name);
  const raw = templateIn(kind.source.templateOf(object), known);
  if (summary.uid !== known.source.uid || summary.controllerUid !== workload.uid || raw === undefined) {
    throw new AppError(
      'not_found',
      `${known.name}, which held revision ${called(known)} of ${workload.name}, is another object now. Choose again.`,
      { revision: known.id },
    );
  }
  const sources = present.input.sources.map((source) => (source.uid === summary.uid ? summary : source));
  const input = { ...present.input, sources };
  const history = kind.history(input);
  const to = retainedTarget(findRevision(history, workload, known.id));
  const template = cleanTemplate(raw);
  attempt.choose(to, keys.template(hashOfText(canonicalJson(template))));
  return {
    present: { ...present, input, history },
    to,
    template,
    seen: seenOfTarget(context, present, to),
  };
}

/** What the source object records, decompressed. Throws AppError `refused` where nobody can read it. */
function templateIn(body: Template | undefined, revision: Revision): Template | undefined {
  if (body === undefined) return undefined;
  const { template, problem } = unpack(body);
  if (problem === null) return template;
  throw new AppError(
    'refused',
    `Revision ${called(revision)} cannot be gone back to. ${problem} Nothing was written.`,
    { revision: revision.id },
  );
}

/** `missing` says why the cluster has it not. Templates are for those who may read what carried them. */
async function fromArchive(
  context: ActionsContext,
  viewer: Viewer,
  present: Present,
  attempt: Attempt,
  ref: string,
  missing: AppError,
): Promise<Target> {
  const { cluster, keys } = context;
  await assertCan(cluster, viewer, 'get', present.kind.source.resource, present.workload.namespace);
  const found = await findArchived(context, present, ref, missing);
  if (found.kind === 'retained') return fromCluster(context, viewer, present, attempt, found.revision);
  const { to, template } = archivedTarget(found, (target) =>
    attempt.choose(target, keys.template(found.revision.hash)),
  );
  return { present, to, template, seen: seenOfTarget(context, present, to) };
}

/** With what it takes the place of, where only the preview has shown that. */
function seenOfTarget({ cluster, keys }: ActionsContext, { holder }: Present, to: RollbackTarget): string {
  const replaced = holder?.state === 'found' ? `${holder.workload.uid}/${holder.workload.bodyId}` : '';
  return keys.seen(cluster.identity.id, to.id, `${to.facts.semanticId}${replaced}`);
}

async function findArchived(
  { cluster, archive }: ActionsContext,
  present: Present,
  ref: string,
  missing: AppError,
): Promise<FoundRevision> {
  const open = archive();
  // A number that has moved is told by the cluster alone.
  if (open === null && missing.details.became === undefined) {
    throw new AppError(
      'archive_unavailable',
      `The cluster has no revision ${ref} of ${present.workload.name}, and Shiplog's archive, which may have it, is not open: its log says why. Nothing was written.`,
      { revision: ref },
    );
  }
  return findAnyRevision({ cluster, archive: open }, present, ref);
}

function without(present: Present, { source: gone }: Revision): Present {
  const sources = present.input.sources.filter(({ uid }) => uid !== gone.uid);
  const input = { ...present.input, sources };
  return { ...present, input, history: present.kind.history(input) };
}
