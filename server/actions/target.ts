import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@/lib/errors';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { canonicalJson } from '@/lib/kube/json';
import { formatTarget, retainedTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { finding, type Finding } from '@/lib/workloads/plan';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import { type RevisionSource, type Template } from '@/lib/history/workload';
import { type ActionsContext } from '@/server/actions/context';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { type Execution } from '@/server/actions/strategy';
import { hashOfText } from '@/server/archive/revisions';
import {
  type ArchivedRevisionMatch,
  type FoundRevision,
  findAnyRevision,
  tryRetained,
} from '@/server/reads/find-revision';
import { factsOf } from '@/server/cluster/ingest';
import { unpack } from '@/server/cluster/unpack';
import { findRevision } from '@/server/reads/find-workload';
import { assertCan } from '@/server/reads/rights';

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
  execution: Execution,
  current: CurrentWorkload,
  ref: string,
): Promise<ResolvedTarget> {
  const { retained, missing } = tryRetained(current, ref);
  if (retained === undefined) return fromArchive(execution, current, ref, missing);
  try {
    return await fromCluster(execution, current, retained);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    // It has just been pruned, and the cache does not show that yet.
    return fromArchive(execution, withoutRevision(current, retained), retained.id, error);
  }
}

async function fromCluster(
  { context, viewer, attempt }: Execution,
  current: CurrentWorkload,
  known: Revision,
): Promise<ResolvedTarget> {
  const { kind, workload } = current;
  const { object, summary } = await context.cluster.readSource(
    viewer,
    kind,
    known.source.namespace,
    known.name,
  );
  const raw = templateIn(kind.source.templateOf(object), known);
  if (summary.uid !== known.source.uid || summary.controllerUid !== workload.uid || raw === undefined) {
    throw new AppError(
      'not_found',
      `${known.name}, which held revision ${formatRevision(known)} of ${workload.name}, is another object now. Choose again.`,
      { revision: known.id },
    );
  }
  // The plan has to be of the object that was read now: its number and template may be newer than the cache's.
  const isKnown = current.input.sources.some((source) => isDeepStrictEqual(source, summary));
  const fresh = isKnown
    ? current
    : withSources(current, (source) => (source.uid === summary.uid ? summary : source));
  const to = retainedTarget(isKnown ? known : findRevision(fresh.history, workload, known.id));
  const template = cleanTemplate(raw);
  attempt.describeTarget(to, hashOfText(canonicalJson(template)));
  return { current: fresh, to, template, preconditionToken: targetPreconditionToken(context, current, to) };
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
  execution: Execution,
  current: CurrentWorkload,
  ref: string,
  missing: AppError,
): Promise<ResolvedTarget> {
  const { context, viewer, attempt } = execution;
  await assertCan(context.cluster, viewer, 'get', current.kind.source.resource, current.workload.namespace);
  const found = await findArchived(context, current, ref, missing);
  if (found.kind === 'retained') return fromCluster(execution, current, found.revision);
  const { to, template } = archivedTarget(found, (target) =>
    attempt.describeTarget(target, found.revision.hash),
  );
  return { current, to, template, preconditionToken: targetPreconditionToken(context, current, to) };
}

/**
 * A revision that only the archive has, as a target. `choose` receives its identity, also when it is then
 * rejected: throws AppError `refused` where there is no template, or not the one that was recorded.
 */
function archivedTarget(
  { revision, number, template, incarnation }: ArchivedRevisionMatch,
  onIdentified: (identity: Pick<RollbackTarget, 'id' | 'number' | 'origin'>) => void,
): { to: RollbackTarget; template: Template } {
  const { id, name, hash, firstSeenAt: recordedAt, prunedAt } = revision;
  const origin: RollbackTarget['origin'] = incarnation.present
    ? { kind: 'archive', recordedAt, prunedAt }
    : { kind: 'earlierLife', recordedAt, prunedAt, deletedAt: incarnation.deletedAt };
  const identity = { id, number, name, origin };
  onIdentified(identity);
  if (template === null) throw refusedError(templateMissing(identity));
  // A body with markers for its credentials, or a damaged one, must never reach a cluster.
  if (hashOfText(canonicalJson(template)) !== hash) throw refusedError(templateDamaged(identity));
  return { to: { ...identity, facts: factsOf(template) }, template };
}

function refusedError(refusal: Finding): AppError {
  return new AppError('refused', `${refusal.message} Nothing was written.`, {
    findings: [refusal],
    plan: null,
    diff: null,
    toSeen: null,
    dryRun: null,
  });
}

function templateMissing(target: Omit<RollbackTarget, 'facts'>): Finding {
  return finding(
    'refusal',
    'template_gone',
    `Neither the cluster nor Shiplog's archive has the template of revision ${formatTarget(target)} any more: in the archive it has expired, it came by an import with its credentials masked, or a Secret stands in it, which is never archived.`,
    'Choose another revision, or import an export made with --with-values.',
  );
}

function templateDamaged(target: Omit<RollbackTarget, 'facts'>): Finding {
  return finding(
    'refusal',
    'template_damaged',
    `The template of revision ${formatTarget(target)} in Shiplog's archive is not the one that was recorded.`,
    'Choose another revision, and run `npm run archive -- verify`.',
  );
}

/** With the template that it replaces, where only the preview has shown that. */
function targetPreconditionToken(
  { cluster, keys }: ActionsContext,
  { templateOwner: owner }: CurrentWorkload,
  to: RollbackTarget,
): string {
  const replaced = owner?.state === 'found' ? `${owner.workload.uid}/${owner.workload.bodyId}` : '';
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
  return withSources(current, (source) => (source.uid === gone.uid ? [] : source));
}

function withSources(
  current: CurrentWorkload,
  change: (source: RevisionSource) => RevisionSource | [],
): CurrentWorkload {
  const input = { ...current.input, sources: current.input.sources.flatMap(change) };
  return { ...current, input, history: current.kind.history(input) };
}
