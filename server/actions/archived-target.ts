import 'server-only';
import { AppError } from '@/lib/errors';
import { canonicalJson } from '@/lib/kube/json';
import { type Finding } from '@/lib/workloads/plan';
import { formatTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type Template } from '@/lib/history/workload';
import { hashOfText } from '@/server/archive/revisions';
import { factsOf } from '@/server/cluster/ingest';
import { type ArchivedRevisionMatch } from '@/server/reads/find-revision';

type TargetIdentity = Pick<RollbackTarget, 'id' | 'number' | 'origin'>;

/**
 * A revision that only the archive has, as a target. `choose` receives its identity, also when it is then
 * rejected: throws AppError `refused` where there is no template, or not the one that was recorded.
 */
export function archivedTarget(
  { revision, number, template, incarnation }: ArchivedRevisionMatch,
  onIdentified: (identity: TargetIdentity) => void,
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

function refusedError(finding: Finding): AppError {
  return new AppError('refused', `${finding.message} Nothing was written.`, {
    findings: [finding],
    plan: null,
    diff: null,
    toSeen: null,
    dryRun: null,
  });
}

function templateMissing(target: Omit<RollbackTarget, 'facts'>): Finding {
  return {
    severity: 'refusal',
    code: 'template_gone',
    message: `Neither the cluster nor Shiplog's archive has the template of revision ${formatTarget(target)} any more: in the archive it has expired, it came by an import with its credentials masked, or a Secret stands in it, which is never archived.`,
    action: 'Choose another revision, or import an export made with --with-values.',
  };
}

function templateDamaged(target: Omit<RollbackTarget, 'facts'>): Finding {
  return {
    severity: 'refusal',
    code: 'template_damaged',
    message: `The template of revision ${formatTarget(target)} in Shiplog's archive is not the one that was recorded.`,
    action: 'Choose another revision, and run `npm run archive -- verify`.',
  };
}
