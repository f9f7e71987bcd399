import 'server-only';
import { AppError } from '@/lib/errors';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { canonicalJson } from '@/lib/kube/json';
import { retainedTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import { type Template } from '@/lib/history/workload';
import { archivedTarget } from '@/server/actions/archived-target';
import { type Attempt } from '@/server/actions/attempt';
import { type ActionsContext } from '@/server/actions/context';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { hashOfText } from '@/server/archive/revisions';
import { type FoundRevision, findAnyRevision } from '@/server/reads/find-revision';
import { unpack } from '@/server/cluster/unpack';
import { findRevision } from '@/server/reads/find-workload';
import { assertCan } from '@/server/reads/rights';
import { type Viewer } from '@/server/shared/viewer';

/** The target of a rollback. */
export interface ResolvedTarget {
  /** With the history that has the target in its current state. */
  current: CurrentWorkload;
  to: RollbackTarget;
  /** Without what controllers add to it. */
  template: Template;
  /** Identifies the meaning of the template. */
  preconditionToken: string;
}

/**
 * The revision of a number or id with its template: from its current source object, read as the viewer, or,
 * when the cluster no longer has it, from the archive. Rejects with AppError: `not_found`, `ambiguous`,
 * `forbidden`; `refused` where the archive has the revision but no template that may be written;
 * `archive_unavailable` where only the archive could tell.
 */
export async function findTarget(
  context: ActionsContext,
  viewer: Viewer,
  current: CurrentWorkload,
  attempt: Attempt,
  ref: string,
): Promise<ResolvedTarget> {
  const retained = tryRetained(current, ref);
  if (retained instanceof AppError) return fromArchive(context, viewer, current, attempt, ref, retained);
  try {
    return await fromCluster(context, viewer, current, attempt, retained);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    // It has just been pruned, and the cache does not show that yet.
    return fromArchive(context, viewer, withoutRevision(current, retained), attempt, retained.id, error);
  }
}

function tryRetained({ history, workload }: CurrentWorkload, ref: string): Revision | AppError {
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
  current: CurrentWorkload,
  attempt: Attempt,
  known: Revision,
): Promise<ResolvedTarget> {
  const { cluster, keys } = context;
  const { kind, workload } = current;
  const { object, summary } = await cluster.readSource(viewer, kind, known.source.namespace, known.name);
  const raw = templateIn(kind.source.templateOf(object), known);
  if (summary.uid !== known.source.uid || summary.controllerUid !== workload.uid || raw === undefined) {
    throw new AppError(
      'not_found',
      `${known.name}, which held revision ${formatRevision(known)} of ${workload.name}, is another object now. Choose again.`,
      { revision: known.id },
    );
  }
  const sources = current.input.sources.map((source) => (source.uid === summary.uid ? summary : source));
  const input = { ...current.input, sources };
  const history = kind.history(input);
  const to = retainedTarget(findRevision(history, workload, known.id));
  const template = cleanTemplate(raw);
  attempt.setTarget(to, keys.template(hashOfText(canonicalJson(template))));
  return {
    current: { ...current, input, history },
    to,
    template,
    preconditionToken: targetPreconditionToken(context, current, to),
  };
}

/**
 * The template that the source object records, decompressed. Throws AppError `refused` where it cannot be
 * read.
 */
function templateIn(body: Template | undefined, revision: Revision): Template | undefined {
  if (body === undefined) return undefined;
  const { template, problem } = unpack(body);
  if (problem === null) return template;
  throw new AppError(
    'refused',
    `Revision ${formatRevision(revision)} cannot be gone back to. ${problem} Nothing was written.`,
    { revision: revision.id },
  );
}

/**
 * `missing` names the reason why the cluster does not have it. Templates are for viewers who are allowed to
 * read their source object.
 */
async function fromArchive(
  context: ActionsContext,
  viewer: Viewer,
  current: CurrentWorkload,
  attempt: Attempt,
  ref: string,
  missing: AppError,
): Promise<ResolvedTarget> {
  const { cluster, keys } = context;
  await assertCan(cluster, viewer, 'get', current.kind.source.resource, current.workload.namespace);
  const found = await findArchived(context, current, ref, missing);
  if (found.kind === 'retained') return fromCluster(context, viewer, current, attempt, found.revision);
  const { to, template } = archivedTarget(found, (target) =>
    attempt.setTarget(target, keys.template(found.revision.hash)),
  );
  return { current, to, template, preconditionToken: targetPreconditionToken(context, current, to) };
}

/** With the template that it replaces, where only the preview has shown that. */
function targetPreconditionToken(
  { cluster, keys }: ActionsContext,
  { templateOwner: holder }: CurrentWorkload,
  to: RollbackTarget,
): string {
  const replaced = holder?.state === 'found' ? `${holder.workload.uid}/${holder.workload.bodyId}` : '';
  return keys.preconditionToken(cluster.identity.id, to.id, `${to.facts.semanticId}${replaced}`);
}

async function findArchived(
  { cluster, archive }: ActionsContext,
  current: CurrentWorkload,
  ref: string,
  missing: AppError,
): Promise<FoundRevision> {
  const open = archive();
  // Only the cluster knows the new number of a renumbered revision.
  if (open === null && missing.details.became === undefined) {
    throw new AppError(
      'archive_unavailable',
      `The cluster has no revision ${ref} of ${current.workload.name}, and Shiplog's archive, which may have it, is not open: its log says why. Nothing was written.`,
      { revision: ref },
    );
  }
  return findAnyRevision({ cluster, archive: open }, current, ref);
}

function withoutRevision(current: CurrentWorkload, { source: gone }: Revision): CurrentWorkload {
  const sources = current.input.sources.filter(({ uid }) => uid !== gone.uid);
  const input = { ...current.input, sources };
  return { ...current, input, history: current.kind.history(input) };
}
