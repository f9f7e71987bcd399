import { countKinds } from '@/components/diff/group-changes';
import { ChangeMark } from '@/components/shared/change-mark';
import { Glyph } from '@/components/ui/glyph';
import type { Diff } from '@/lib/api/diff';
import { type ChangeKind, isApplicationPartKind } from '@/lib/api/diff-values';

const kinds: readonly ChangeKind[] = ['changed', 'added', 'removed', 'moved'];

/** The line below the sentence: number of changes of each kind, risks, whether pods restart. */
export function ChangeCounts({ diff, children }: { diff: Diff; children?: React.ReactNode }) {
  const counts = countKinds(diff.changes);
  const risks = diff.changes.filter((change) => change.risk !== null).length;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 pt-2.5 pb-3.5 text-small/[18px]">
      {kinds
        .filter((kind) => counts[kind] > 0)
        .map((kind) => (
          <p key={kind} className="inline-flex items-center gap-1.5">
            <ChangeMark kind={kind} decorative />
            {counts[kind]} {kind}
          </p>
        ))}
      {risks > 0 && (
        <p className={`${itemClass} font-medium text-degraded`}>
          <Glyph name="degraded" /> {risks} {risks === 1 ? 'risk' : 'risks'}
        </p>
      )}
      {diff.changes.length > 0 && (
        <p className={`${itemClass} text-ink-2`}>
          <Glyph name="restart" /> {describeRestarts(diff)}
        </p>
      )}
      {children}
    </div>
  );
}

const itemClass = 'inline-flex items-center gap-1.5 border-line desk:border-l desk:pl-4';

/** "All pods are replaced (9 template changes)". */
function describeRestarts({ changes }: Diff): string {
  if (changes.some(({ containerKind }) => isApplicationPartKind(containerKind)))
    return 'Whether pods restart depends on the component definitions';
  const restarting = changes.filter((change) => change.restarts).length;
  if (restarting === 0) return 'No pods are replaced';
  if (changes.length === 1) return 'All pods are replaced (template change)';
  const count = restarting === changes.length ? `${restarting}` : `${restarting} of ${changes.length}`;
  return `All pods are replaced (${count} template changes)`;
}
