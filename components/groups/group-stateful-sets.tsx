import { Glyph } from '@/components/ui/glyph';
import { type GroupsItem } from '@/lib/api/groups';

const REVISIONS_SHOWN = 5;

/** The StatefulSets of the groups. Read-only: the controller generates and writes them. */
export function GroupStatefulSets({ groups: { parts, partsNote } }: { groups: GroupsItem }) {
  if (parts.length === 0) return null;
  return (
    <details className="mt-3 text-small">
      <summary className="w-fit cursor-pointer rounded-2 text-ink-3 hover:text-ink max-desk:py-2">
        {parts.length === 1 ? 'Its StatefulSet' : `Its ${parts.length} StatefulSets`}, for reading only
      </summary>
      <p className="flex max-w-[86ch] gap-2 pt-1.5 pb-2 text-ink-2">
        <Glyph name="lock" size={13} className="mt-[1.5px] text-ink-3" />
        {partsNote}
      </p>
      <ul
        aria-label="StatefulSets, for reading only"
        className="grid max-h-[320px] overflow-y-auto"
        tabIndex={0}
      >
        {parts.map(({ kind, name, group, revisions }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(120px,220px)_minmax(90px,140px)_minmax(0,1fr)] gap-x-4 border-t border-hair py-1.5 max-desk:grid-cols-[minmax(0,1fr)_auto]"
          >
            <span className="truncate literal" title={`${kind} ${name}`}>
              {name}
            </span>
            <span className="text-ink-2">{group === null ? 'all leaders' : `workers of group ${group}`}</span>
            <span
              className="truncate text-ink-3 max-desk:col-span-2"
              title={revisions.map((each) => `${each.number ?? '–'}: ${each.name}`).join('\n')}
            >
              {revisionsText(revisions)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function revisionsText(revisions: GroupsItem['parts'][number]['revisions']): string {
  if (revisions.length === 0) return 'Kubernetes keeps no revision of it';
  const numbers = revisions.slice(0, REVISIONS_SHOWN).map(({ number }) => number ?? '–');
  const more = revisions.length > REVISIONS_SHOWN ? ', …' : '';
  return `revisions of its own: ${numbers.join(', ')}${more}`;
}
