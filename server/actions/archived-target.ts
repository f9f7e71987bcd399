import 'server-only';
import { AppError } from '@/lib/errors';
import { canonicalJson } from '@/lib/kube/json';
import { type Finding } from '@/lib/workloads/plan';
import { calledTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type Template } from '@/lib/workloads/workload';
import { hashOfText } from '@/server/archive/bodies';
import { factsOf } from '@/server/cluster/ingest';
import { type ArchivedFind } from '@/server/reads/find-revision';

type Identity = Pick<RollbackTarget, 'id' | 'number' | 'origin'>;

/**
 * A revision that only the archive has, as a target. `choose` is told which one it is, also when it is then refused:
 * throws AppError `refused` where there is no template, or not the one that was recorded.
 */
export function archivedTarget(
  { revision, number, template, life }: ArchivedFind,
  choose: (identity: Identity) => void,
): { to: RollbackTarget; template: Template } {
  const { id, name, hash, firstSeenAt: recordedAt, prunedAt } = revision;
  const origin: RollbackTarget['origin'] = life.present
    ? { kind: 'archive', recordedAt, prunedAt }
    : { kind: 'earlierLife', recordedAt, prunedAt, deletedAt: life.deletedAt };
  const identity = { id, number, name, origin };
  choose(identity);
  if (template === null) throw refused(noTemplate(identity));
  // A body with markers for its credentials, or one that was damaged, must never reach a cluster.
  if (hashOfText(canonicalJson(template)) !== hash) throw refused(damaged(identity));
  return { to: { ...identity, facts: factsOf(template) }, template };
}

function refused(finding: Finding): AppError {
  return new AppError('refused', `${finding.message} Nothing was written.`, {
    findings: [finding],
    plan: null,
    diff: null,
    toSeen: null,
    dryRun: null,
  });
}

function noTemplate(target: Omit<RollbackTarget, 'facts'>): Finding {
  return {
    severity: 'refusal',
    code: 'template_gone',
    message: `Neither the cluster nor Shiplog's archive has the template of revision ${calledTarget(target)} any more: in the archive it has expired, it came by an import with its credentials masked, or a Secret stands in it, which is never archived.`,
    action: 'Choose another revision, or import an export made with --with-values.',
  };
}

function damaged(target: Omit<RollbackTarget, 'facts'>): Finding {
  return {
    severity: 'refusal',
    code: 'template_damaged',
    message: `The template of revision ${calledTarget(target)} in Shiplog's archive is not the one that was recorded.`,
    action: 'Choose another revision, and run `npm run archive -- verify`.',
  };
}
